//! Turns a module that cargo has built into what a JavaScript host can load.
//!
//! `xtask worker <module.wasm> <folder>` writes `lastword.js` and `lastword_bg.wasm` for the Worker;
//! `xtask npm <module.wasm> <folder>` the same for the npm package.

use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["worker", module, folder] => worker(Path::new(module), Path::new(folder)),
        ["npm", module, folder] => npm(Path::new(module), Path::new(folder)),
        _ => Err(anyhow::anyhow!("usage: xtask worker|npm <module.wasm> <folder>")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the glue that `js/worker/shim.mjs` imports. The shim hands it the compiled module
/// (`initSync`), hence the target `web`.
fn worker(module: &Path, folder: &Path) -> Result<()> {
    let mut glue = glue(module)?;
    write(glue.reset_state_function(true).force_enable_abort_handler(true), module, folder)?;
    reset_at_once(&folder.join("lastword.js"))
}

/// Writes the glue that `js/lastword/` imports. Which runtime it is, and so where the module comes from, is
/// for the files there to say: the glue names no place of its own, which bundlers would follow. Its types are not
/// published: a test holds the files there against them.
fn npm(module: &Path, folder: &Path) -> Result<()> {
    let mut glue = glue(module)?;
    let glue = glue.omit_default_module_path(true).typescript(true);
    write(glue.reset_state_function(true), module, folder)?;
    catch_traps(&folder.join("lastword.js"))
}

fn glue(module: &Path) -> Result<Bindgen> {
    let mut glue = Bindgen::new();
    glue.input_path(module)
        .out_name("lastword")
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true);
    Ok(glue)
}

fn write(glue: &mut Bindgen, module: &Path, folder: &Path) -> Result<()> {
    glue.generate(folder).with_context(|| format!("could not write the glue of {}", module.display()))
}

/// Lets `core.mjs` hear of a trap in what the module does by itself, in a task or a callback, and has another instance
/// in its place then: `onTrap(listener)`. The glue's own way needs exceptions as engines have had them only lately.
fn catch_traps(glue: &Path) -> Result<()> {
    const CALL: &str = "return f(a, state.b, ...args);\n        } finally {";
    const CAUGHT: &str = "return f(a, state.b, ...args);\n        } catch (error) {\n            \
        if (!(error instanceof WebAssembly.RuntimeError)) throw error;\n            \
        if (state.instance === __wbg_instance_id) __lastword_trapped();\n        } finally {";
    const FREED: &str = "if (--state.cnt === 0) {";
    const FREED_HERE: &str = "if (--state.cnt === 0 && state.instance === __wbg_instance_id) {";
    const LISTENER: &str = "\nlet __lastword_trapped = () => {};\n\
        export function onTrap(listener) { __lastword_trapped = () => { __wbg_reset_state(); listener(); }; }\n";
    let mut text = std::fs::read_to_string(glue)?;
    for (said, better) in [(CALL, CAUGHT), (FREED, FREED_HERE)] {
        ensure!(
            text.matches(said).count() == 1,
            "the glue no longer says `{said}` once: look at how it calls closures"
        );
        text = text.replace(said, better);
    }
    std::fs::write(glue, text + LISTENER)?;
    let types = glue.with_extension("d.ts");
    let text = std::fs::read_to_string(&types)?;
    std::fs::write(&types, text + "\nexport function onTrap(listener: () => void): void;\n")?;
    Ok(())
}

/// After a trap the glue as generated only marks the instance, and starts a new one on the next call,
/// with whatever pointer that call holds into the dead one. Started at the trap itself, the glue's own
/// checks turn every such call away. Also lets the shim hear of it: `onTrap(listener)`.
fn reset_at_once(glue: &Path) -> Result<()> {
    const MARK: &str = "__wbg_reinit_scheduled = true;";
    const RESET: &str = "__wbg_reset_state(); __lastword_trapped();";
    const LISTENER: &str = "\nlet __lastword_trapped = () => {};\n\
        export function onTrap(listener) { __lastword_trapped = listener; }\n";
    let text = std::fs::read_to_string(glue)?;
    ensure!(text.matches(MARK).count() == 1, "the glue no longer says `{MARK}` once: look at how it handles traps");
    std::fs::write(glue, text.replace(MARK, RESET) + LISTENER)?;
    Ok(())
}
