//! What the client component exports. Its imports come from wasmtime-wasi and
//! wasmtime-wasi-http, so this world has none.

wasmtime::component::bindgen!({
    inline: "
        package supplier:host;
        world client { export supplier:client/client@0.1.0; }
    ",
    path: "../wit",
    world: "supplier:host/client",
    exports: { default: async },
});
