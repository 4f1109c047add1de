//! Finds the file that `/file` reads.

use std::{
    env,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use crate::complain;

/// The file, as seen from the root of the repository.
const IN_THE_REPOSITORY: &str = "examples/site/hello.html";

/// The file that `/file` reads again for each request.
///
/// It is looked for once, in and above three folders: that of the package that cargo runs, that of this program,
/// and the current one. The folder in which this was compiled says nothing, because a repository may be moved after its
/// build, and cargo builds nothing anew for that.
pub fn hello_html() -> &'static Path {
    static FOUND: LazyLock<PathBuf> = LazyLock::new(|| {
        let starts = starts();
        let folders = starts.iter().flat_map(|start| start.ancestors());
        let mut files = folders.map(|folder| folder.join(IN_THE_REPOSITORY));
        // Where there is none, each request says that it can't be read.
        files.find(|file| file.is_file()).unwrap_or_else(|| IN_THE_REPOSITORY.into())
    });
    &FOUND
}

fn starts() -> Vec<PathBuf> {
    let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    [package, env::current_exe().ok(), env::current_dir().ok()].into_iter().flatten().collect()
}

pub(crate) fn warn_where_it_is_missing(rung: &str) {
    if !hello_html().is_file() {
        let starts: Vec<String> = starts().iter().map(|it| it.display().to_string()).collect();
        let starts = starts.join(" or ");
        complain(format_args!(
            "{rung}: no {IN_THE_REPOSITORY} in or above {starts}: /file will fail"
        ));
    }
}
