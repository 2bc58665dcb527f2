//! The commands of the language packages' programs, which know this crate only by what they read
//! and print.

#[derive(Clone, Debug, clap::Args)]
pub struct Languages {
    /// The command of the Python worker.
    #[arg(long, value_name = "CMD")]
    python: Option<String>,
    /// The command of the Node worker.
    #[arg(long, value_name = "CMD")]
    node: Option<String>,
    /// The command of the PHP worker.
    #[arg(long, value_name = "CMD")]
    php: Option<String>,
}

impl Languages {
    /// Name and command of each, in the order of the tables.
    pub fn commands(&self) -> [(&'static str, &Option<String>); 3] {
        [("python", &self.python), ("node", &self.node), ("php", &self.php)]
    }
}
