//! What the engine component exports. It imports nothing.

wasmtime::component::bindgen!({
    inline: "
        package supplier:host;
        world engine { export supplier:client/engine@0.1.0; }
    ",
    path: "../wit",
    world: "supplier:host/engine",
});
