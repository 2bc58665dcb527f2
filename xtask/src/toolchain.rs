//! Which compiler builds the components: the one in use, if it has or gets the target's
//! standard library; else Debian's, which builds that library from its own sources.

use anyhow::{Context as _, Result, bail};
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

pub const TARGET: &str = "wasm32-unknown-unknown";

/// Where both ways work, this names the one to take: `rustup` or `debian`.
const CHOICE: &str = "SUPPLIER_GUEST_TOOLCHAIN";

const DEBIAN: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

/// A download that takes longer does not come.
const DOWNLOAD: Duration = Duration::from_secs(60);

const NEITHER: &str = "\
the components need a Rust compiler with the target wasm32-unknown-unknown, and there is no way to one here. Do one of these:
  - rustup target add wasm32-unknown-unknown
  - as root: apt-get install --no-install-recommends rustc-web cargo-web rust-web-src      (Debian, Rust 1.95 or later)
  - install your distribution's package of the target (Fedora: rust-std-static-wasm32-unknown-unknown)";

pub enum Toolchain {
    /// The compiler that is in use anyway.
    Current { how: &'static str },
    /// Debian's, in /usr/bin, with `std` from source.
    Debian { linker: PathBuf },
}

impl Toolchain {
    pub fn find() -> Result<Toolchain> {
        let choice = env::var(CHOICE).unwrap_or_default();
        match choice.as_str() {
            "" => Self::any(),
            "rustup" => Self::current()?.or_else(Self::added).with_context(|| format!("{CHOICE}=rustup: {NEITHER}")),
            "debian" => Self::debian().or_else(Self::from_apt).with_context(|| format!("{CHOICE}=debian: {NEITHER}")),
            other => bail!("{CHOICE} is `{other}`; write `rustup` or `debian`"),
        }
    }

    fn any() -> Result<Toolchain> {
        if let Some(current) = Self::current()? {
            return Ok(current);
        }
        // Debian's comes first where it has been used before, so that a machine without a way
        // to rustup's servers does not ask them every time.
        let before = crate::target_dir().join(DEBIAN_FOLDER).is_dir();
        let used_before = if before { Self::debian() } else { None };
        used_before.or_else(Self::added).or_else(Self::debian).or_else(Self::from_apt).context(NEITHER)
    }

    /// One line for people.
    pub fn describe(&self) -> String {
        match self {
            Toolchain::Current { how } => format!("the Rust toolchain in use, target {TARGET} {how}"),
            Toolchain::Debian { .. } => format!("Debian's Rust from /usr/bin, std for {TARGET} built from source"),
        }
    }

    /// Below the target folder; two compilers must not share one.
    pub fn folder(&self) -> &'static str {
        match self {
            Toolchain::Current { .. } => "guest-rustup",
            Toolchain::Debian { .. } => DEBIAN_FOLDER,
        }
    }

    /// A cargo in the workspace, ready for `build`'s arguments.
    pub fn cargo(&self) -> Command {
        let mut cargo = match self {
            Toolchain::Current { .. } => crate::cargo(),
            Toolchain::Debian { linker } => {
                let mut cargo = Command::new("/usr/bin/cargo");
                let path = env::var("PATH").unwrap_or_default();
                cargo
                    .current_dir(crate::root())
                    .env("PATH", format!("/usr/bin:{path}"))
                    .env("RUSTC", "/usr/bin/rustc")
                    // `build-std` is what it takes, and it is unstable.
                    .env("RUSTC_BOOTSTRAP", "1")
                    .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker)
                    // The cargo that runs this has set these for its own compiler.
                    .env_remove("LD_LIBRARY_PATH")
                    .env_remove("RUSTUP_TOOLCHAIN")
                    .env_remove("CARGO")
                    .args(["-Z", "build-std=std,panic_abort"]);
                cargo
            }
        };
        cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags());
        cargo
    }

    fn current() -> Result<Option<Toolchain>> {
        let library = sysroot("rustc").context("rustc cannot be started")?.join("lib/rustlib").join(TARGET).join("lib");
        Ok(library.is_dir().then_some(Toolchain::Current { how: "installed" }))
    }

    fn added() -> Option<Toolchain> {
        let mut rustup = Command::new("rustup");
        rustup.args(["target", "add", TARGET]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        succeeds_within(&mut rustup, DOWNLOAD).then_some(Toolchain::Current { how: "added with rustup" })
    }

    fn debian() -> Option<Toolchain> {
        let sources = sysroot("/usr/bin/rustc")?.join("lib/rustlib/src/rust/library");
        let complete = Path::new("/usr/bin/cargo").exists() && sources.is_dir() && is_new_enough("/usr/bin/rustc");
        if complete { Some(Toolchain::Debian { linker: linker()? }) } else { None }
    }

    fn from_apt() -> Option<Toolchain> {
        if !Path::new("/usr/bin/apt-get").exists() || answer("id", &["-u"])? != "0" {
            return None;
        }
        eprintln!("xtask: installing {} with apt-get", DEBIAN.join(", "));
        let install = || apt_get(&[&["install", "-y", "--no-install-recommends"], &DEBIAN[..]].concat());
        let installed = install() || (apt_get(&["update"]) && install());
        if installed { Self::debian() } else { None }
    }
}

const DEBIAN_FOLDER: &str = "guest-debian";

/// Debian's packages carry no linker for WebAssembly; the toolchain in use may, as rust-lld.
fn linker() -> Option<PathBuf> {
    let host = answer("rustc", &["-vV"])?.lines().find_map(|line| line.strip_prefix("host: ").map(str::to_owned))?;
    let bundled = sysroot("rustc")?.join("lib/rustlib").join(host).join("bin/rust-lld");
    let others = env::var_os("PATH").into_iter().flat_map(|path| env::split_paths(&path).collect::<Vec<_>>());
    let others = others.flat_map(|folder| [folder.join("wasm-ld"), folder.join("rust-lld")]);
    [bundled].into_iter().chain(others).find(|linker| linker.is_file())
}

fn is_new_enough(rustc: &str) -> bool {
    let numbers = |version: &str| -> Option<(u32, u32)> {
        let mut parts = version.split('.').map(|part| part.parse().ok());
        Some((parts.next()??, parts.next()??))
    };
    let wanted = numbers(env!("CARGO_PKG_RUST_VERSION"));
    let found = answer(rustc, &["--version"]).and_then(|line| numbers(line.split(' ').nth(1)?));
    matches!((found, wanted), (Some(found), Some(wanted)) if found >= wanted)
}

fn sysroot(rustc: &str) -> Option<PathBuf> {
    answer(rustc, &["--print", "sysroot"]).map(PathBuf::from)
}

fn answer(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).current_dir(crate::root()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn apt_get(args: &[&str]) -> bool {
    let mut apt_get = Command::new("/usr/bin/apt-get");
    apt_get.args(args).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null()).stdout(Stdio::null());
    apt_get.status().is_ok_and(|status| status.success())
}

fn succeeds_within(command: &mut Command, limit: Duration) -> bool {
    let Ok(mut child) = command.current_dir(crate::root()).spawn() else { return false };
    let end = Instant::now() + limit;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(50)),
            Ok(None) | Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}

/// SIMD takes the hash functions from 0.8 to 1.0 times the speed of native code without SHA
/// instructions. Panic messages name source files; they are to be the same wherever the
/// component is built.
fn flags() -> String {
    let root = crate::root().canonicalize().unwrap_or_else(|_| crate::root().to_owned());
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    let mut flags = format!("-Ctarget-feature=+simd128 --remap-path-prefix={}=supplier-client", root.display());
    if let Some(home) = home {
        flags.push_str(&format!(" --remap-path-prefix={}=cargo", home.display()));
    }
    flags
}
