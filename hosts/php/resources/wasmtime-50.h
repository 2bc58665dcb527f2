/* The part of wasmtime's C API, version 50, that this package uses. The layouts of values
   change between majors: one file a major, see Wasm/Library.php. Names of structs are
   shortened, names of functions are the library's. */

typedef struct engine_t engine_t;
typedef struct error_t error_t;
typedef struct store_t store_t;
typedef struct context_t context_t;
typedef struct component_t component_t;
typedef struct linker_t linker_t;
typedef struct export_index_t export_index_t;
typedef struct resource_any_t resource_any_t;
typedef struct wasi_config_t wasi_config_t;

typedef struct { size_t size; char *data; } bytes_t;
typedef struct { uint64_t store_id; uint32_t index; } instance_t;
typedef struct {
  struct { uint64_t store_id; uint32_t a; };
  uint32_t b;
  void *c;
} func_t;

/* Values are written and read as words (Wasm/Values.php). The kind is the first byte; a string, list,
   record or enum goes on with size and address, a variant with the name of the case and the address of
   the payload, a result with a bool and the address of the payload, an option with an address or null, a
   resource with its address, anything else with the number. A field of a record is size and address of
   its name, and the value. */
typedef struct { uint64_t words[4]; } val_t;

/* Not of the API: how an address that was read becomes a pointer. */
typedef union { uint64_t address; char *bytes; val_t *val; resource_any_t *resource; } pointer_t;

engine_t *wasm_engine_new(void);
void wasm_engine_delete(engine_t *);

void wasmtime_error_message(const error_t *, bytes_t *out);
void wasmtime_error_delete(error_t *);

void wasm_byte_vec_delete(bytes_t *);

error_t *wasmtime_component_new(const engine_t *, const char *bytes, size_t size, component_t **out);
error_t *wasmtime_component_serialize(const component_t *, bytes_t *out);
error_t *wasmtime_component_deserialize_file(const engine_t *, const char *path, component_t **out);
void wasmtime_component_delete(component_t *);

store_t *wasmtime_store_new(engine_t *, void *data, void *finalizer);
context_t *wasmtime_store_context(store_t *);
void wasmtime_store_delete(store_t *);

linker_t *wasmtime_component_linker_new(const engine_t *);
error_t *wasmtime_component_linker_instantiate(const linker_t *, context_t *, const component_t *, instance_t *out);
void wasmtime_component_linker_delete(linker_t *);

export_index_t *wasmtime_component_instance_get_export_index(
  const instance_t *, context_t *, const export_index_t *parent, const char *name, size_t size);
void wasmtime_component_export_index_delete(export_index_t *);
bool wasmtime_component_instance_get_func(const instance_t *, context_t *, const export_index_t *, func_t *out);
error_t *wasmtime_component_func_call(
  const func_t *, context_t *, const val_t *args, size_t args_size, val_t *results, size_t results_size);

void wasmtime_component_val_delete(val_t *);

resource_any_t *wasmtime_component_resource_any_clone(const resource_any_t *);
error_t *wasmtime_component_resource_any_drop(context_t *, const resource_any_t *);
void wasmtime_component_resource_any_delete(resource_any_t *);

/* For components that import wasi:http; the engine's imports nothing. */
wasi_config_t *wasi_config_new(void);
error_t *wasmtime_context_set_wasi(context_t *, wasi_config_t *);
void wasmtime_context_set_wasi_http(context_t *);
error_t *wasmtime_component_linker_add_wasip2(linker_t *);
error_t *wasmtime_component_linker_add_wasi_http(linker_t *);
