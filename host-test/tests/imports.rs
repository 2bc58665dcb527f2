//! The components ask their host for what the contract says, and for nothing else: an import
//! that a host does not provide breaks instantiation.

use supplier_test::components;
use supplier_test::scenario::Component;
use wasmtime::Engine;

fn imports(component: Component) -> Vec<String> {
    let file = components::find(component).expect("the components are built first: `cargo xtask build`");
    let engine = Engine::default();
    let component = wasmtime::component::Component::from_file(&engine, file).expect("what xtask builds is a component");
    let mut names: Vec<String> = component.component_type().imports(&engine).map(|(name, _)| name.to_owned()).collect();
    names.sort();
    names
}

#[test]
fn the_client_imports_the_network_clocks_and_randomness() {
    let expected = [
        "wasi:clocks/monotonic-clock@0.2.12",
        "wasi:clocks/wall-clock@0.2.12",
        "wasi:http/outgoing-handler@0.2.12",
        "wasi:http/types@0.2.12",
        "wasi:io/error@0.2.12",
        "wasi:io/poll@0.2.12",
        "wasi:io/streams@0.2.12",
        "wasi:random/random@0.2.12",
    ];
    assert_eq!(imports(Component::Client), expected);
}

#[test]
fn the_engine_imports_nothing() {
    assert_eq!(imports(Component::Engine), [""; 0]);
}
