//! Lines of a terminal report: wrapped at words, with hanging indents.

use anstyle::{AnsiColor, Style};
use textwrap::{WordSeparator, WordSplitter};

use super::sanitise;

pub(super) const PLAIN: Style = Style::new();
pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const RED: Style = AnsiColor::Red.on_default().bold();
pub(super) const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
pub(super) const GREEN: Style = AnsiColor::Green.on_default().bold();
pub(super) const CYAN: Style = AnsiColor::Cyan.on_default().bold();

/// Columns of the label of a field, the two of its indent included.
const LABEL: usize = 12;

/// A report in the making. Whatever it is given is sanitised here, and nothing that wraps returns
/// to the first column.
pub(super) struct Page {
    out: String,
    colour: bool,
    width: usize,
}

impl Page {
    pub(super) fn new(colour: bool, width: usize) -> Self {
        Self {
            out: String::new(),
            colour,
            width: width.max(40),
        }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    pub(super) fn blank(&mut self) {
        self.out.push('\n');
    }

    /// Our own words in `style`, then foreign text; what wraps is indented by two.
    pub(super) fn heading(&mut self, style: Style, head: &str, text: &str, max: usize) {
        let text = sanitise::terminal(text, max);
        self.wrapped(style, head, &text, "  ");
    }

    /// A paragraph, all of it indented by two.
    pub(super) fn paragraph(&mut self, text: &str, max: usize) {
        let text = sanitise::terminal(text, max);
        self.wrapped(PLAIN, "  ", &text, "  ");
    }

    /// An indented label and what belongs to it.
    pub(super) fn field(&mut self, label: &str, text: &str, max: usize) {
        let text = sanitise::terminal(text, max);
        self.labelled(label, &text);
    }

    /// A command that readers paste. Broken lines would fall into its quoted message, so it stands on
    /// one line, unless a server could have written words into it: a terminal goes on in the first
    /// column, where they could look like ours.
    pub(super) fn command(&mut self, label: &str, command: &str) {
        const LONGEST: usize = 4000;
        let message = match (command.find('{'), command.rfind('}')) {
            (Some(from), Some(to)) if from < to => &command[from..=to],
            _ => "",
        };
        let inert = command.len() <= LONGEST
            && sanitise::terminal(command, LONGEST) == command
            && !message.contains(char::is_whitespace);
        if inert {
            let head = label_column(label);
            self.styled(DIM, &head);
            self.out.push_str(command);
            self.out.push('\n');
        } else {
            self.field(label, "see `reproduce` in the JSON report", 100);
        }
    }

    /// A field that readers copy: it is not divided where that is safe.
    pub(super) fn link(&mut self, label: &str, url: &str) {
        // A terminal goes on in the first column. So that nothing misleading can stand there, only
        // the characters of our own references may.
        let plain = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-/#._".contains(&byte)
        };
        match url.strip_prefix("https://") {
            Some(rest) if rest.len() < 200 && rest.bytes().all(plain) => {
                let head = label_column(label);
                self.styled(DIM, &head);
                self.out.push_str(url);
                self.out.push('\n');
            }
            _ => self.field(label, url, 300),
        }
    }

    /// Lines that are marked at their beginning, each wrapped on its own.
    pub(super) fn marked(&mut self, mark: &str, text: &str, max: usize) {
        for line in sanitise::lines(text, max) {
            self.wrapped(DIM, mark, &line, mark);
        }
    }

    fn labelled(&mut self, label: &str, text: &str) {
        let head = label_column(label);
        self.wrapped(DIM, &head, text, &" ".repeat(LABEL));
    }

    fn wrapped(&mut self, style: Style, head: &str, text: &str, indent: &str) {
        let options = textwrap::Options::new(self.width)
            .initial_indent(head)
            .subsequent_indent(indent)
            .word_separator(WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation);
        for (at, line) in textwrap::wrap(text, options).iter().enumerate() {
            match line.strip_prefix(head) {
                Some(rest) if at == 0 => {
                    self.styled(style, head);
                    self.out.push_str(rest);
                }
                _ => self.out.push_str(line),
            }
            while self.out.ends_with(' ') {
                self.out.pop();
            }
            self.out.push('\n');
        }
    }

    fn styled(&mut self, style: Style, text: &str) {
        let shown = text.trim_end_matches(' ');
        let words = shown.trim_start_matches(' ');
        if !self.colour || style == PLAIN || words.is_empty() {
            self.out.push_str(text);
            return;
        }
        self.out.push_str(&" ".repeat(shown.len() - words.len()));
        self.out.push_str(&format!("{style}{words}{style:#}"));
        self.out.push_str(&" ".repeat(text.len() - shown.len()));
    }
}

fn label_column(label: &str) -> String {
    format!("  {label:<width$}", width = LABEL - 2)
}
