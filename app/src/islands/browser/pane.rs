//! The pane of a session's page: lines that change, following the end, the history on demand, and the width.
//!
//! The server renders each line. A line that scrolls up keeps its number and its node, so the reader may select and read
//! above the end while the program goes on.

use std::cell::{Cell, RefCell};

use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Element, Event,
    js_sys::{Array, JSON, Object, Reflect},
};

use super::{
    around, clicks, document, every_in, first, focus, get, inside, listen, mark, page, parts, press, set, side, stale,
    target, tell, unset, wait, window,
};

/// Number of lines that the page keeps. The history has more.
const MOST: u32 = 5_000;

/// Attribute of the pane with the number of the line at which an open prompt begins.
const ASKS: &str = "data-asks";

/// Distance from the end, in pixels, at which the page still follows.
const NEAR: i32 = 8;

/// Font sizes of a pane that fits the width, in pixels.
const SIZES: [&str; 5] = ["9", "10", "11", "12", "13"];

/// Screen as the stream last described it: the columns, the number of its first line, and its lines as HTML.
#[derive(Debug, Default)]
struct Screen {
    cols: u32,
    first: u32,
    lines: Vec<String>,
}

thread_local! {
    static SCREEN: RefCell<Screen> = RefCell::default();
    /// True while the newest line is kept in view.
    static FOLLOWS: Cell<bool> = const { Cell::new(true) };
    /// Number after the last line when the reader left the end.
    static LEFT_AT: Cell<u32> = const { Cell::new(0) };
    /// True if the page shows lines whose numbers have lost their meaning, since the reader reads them.
    static IS_OLD: Cell<bool> = const { Cell::new(false) };
    static LOADS: Cell<bool> = const { Cell::new(false) };
}

impl Screen {
    /// Returns the number after the last line.
    fn end(&self) -> u32 {
        self.first + u32::try_from(self.lines.len()).unwrap_or(0)
    }

    /// Moves to other lines. Lines that stay are kept; without any, false.
    fn move_to(&mut self, cols: u32, first: u32, end: u32, reset: bool) -> bool {
        let stays = !reset && cols == self.cols && (self.first..=self.end()).contains(&first);
        let gone = if stays { (first - self.first) as usize } else { self.lines.len() };
        self.lines.drain(..gone);
        self.lines.resize_with((end - first) as usize, String::new);
        (self.cols, self.first) = (cols, first);
        stays
    }
}

/// Takes over the pane of this page, if it has one.
pub(super) fn attach() {
    let (Some(pane), Some(lines)) = (first("#pane"), first("#lines")) else { return };
    let number = |name| get(&pane, name).parse().unwrap_or(0);
    let lines = every_in(&lines, "[id]").iter().map(Element::inner_html).collect();
    SCREEN.set(Screen { cols: number("data-cols"), first: number("data-first"), lines });
    // From here on the stream describes these parts, and not the page.
    for part in every_in(&pane, "#lines, #ruler, .tty-acts, #new-lines") {
        set(&part, "data-own", "");
    }
    if let Some(screen) = first("#screen") {
        listen(&screen, "scroll", scrolled);
    }
    listen(&pane, "click", clicked);
    page::follow(asked);
    listen(&window(), "resize", |_| fit());
}

/// Handles a change of a pane.
pub(super) fn changed(json: &str) {
    let (Some(pane), Ok(change)) = (first("#pane"), JSON::parse(json)) else { return };
    let value = |key: &str| Reflect::get(&change, &key.into()).unwrap_or_default();
    if value("name").as_string() != pane.get_attribute("data-pane") {
        return;
    }
    let [cols, rows, begin, end] = ["cols", "rows", "first", "end"].map(|key| number(&value(key)));
    let asks = asks();
    tell("#pane-size", &[&cols.to_string(), " × ", &rows.to_string()].concat());
    mark(&pane, "data-alive", value("alive").is_truthy());
    let (Some(screen), Some(lines)) = (first("#screen"), first("#lines")) else { return };
    let height = screen.scroll_height();
    let reset = value("reset").is_truthy();
    let stays = SCREEN.with_borrow_mut(|known| known.move_to(cols, begin, end.max(begin), reset));
    let follows = FOLLOWS.get();
    if !stays && !follows {
        IS_OLD.set(true);
    }
    if !stays && follows {
        lines.set_inner_html("");
    }
    for entry in Object::entries(&value("lines").unchecked_into()) {
        let entry: Array = entry.unchecked_into();
        let (Some(at), Some(html)) = (entry.get(0).as_string(), entry.get(1).as_string()) else { continue };
        let at: u32 = at.parse().unwrap_or(0);
        SCREEN.with_borrow_mut(|known| {
            if let Some(line) = at.checked_sub(begin).and_then(|at| known.lines.get_mut(at as usize)) {
                // Another text in the place of the prompt: it is closed.
                if asks == Some(at) && !line.is_empty() && *line != html {
                    unset(&pane, ASKS);
                }
                *line = html;
                if let (false, Some(shown)) = (IS_OLD.get(), document().get_element_by_id(&id(at))) {
                    shown.set_inner_html(line);
                }
            }
        });
    }
    if !IS_OLD.get() {
        complete(&lines);
    }
    // The column begins at its end: more lines below would move those that the reader reads.
    screen.set_scroll_top(if follows { 0 } else { screen.scroll_top() - (screen.scroll_height() - height) });
    tell_news();
    fit();
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "line numbers are small and not negative")]
fn number(value: &JsValue) -> u32 {
    value.as_f64().unwrap_or(0.0) as u32
}

/// Returns the number of the line at which an open prompt begins. It is shown below the pane.
fn asks() -> Option<u32> {
    get(&first("#pane")?, ASKS).parse().ok()
}

/// Returns the number after the last line that is shown: while the page follows, that above an open prompt.
fn bound(end: u32) -> u32 {
    asks().filter(|_| FOLLOWS.get()).map_or(end, |asks| asks.min(end))
}

/// Shows the screen and nothing above it.
fn rebuild(lines: &Element) {
    lines.set_inner_html("");
    complete(lines);
}

/// Adds the lines that the screen has below those that are shown, and removes those after its end.
fn complete(lines: &Element) {
    SCREEN.with_borrow(|screen| {
        let end = bound(screen.end());
        let shown = lines.last_element_child().and_then(|last| number_of(&last)).map_or(0, |last| last + 1);
        for (number, html) in (screen.first..end).zip(&screen.lines) {
            if number >= shown {
                add(lines, number, html);
            }
        }
        cut(lines, end);
    });
}

/// Takes over whether a prompt is open, after the page was fetched again.
fn asked() {
    if let Some(lines) = first("#lines").filter(|_| FOLLOWS.get() && !IS_OLD.get()) {
        complete(&lines);
    }
}

fn id(number: u32) -> String {
    ["l-", &number.to_string()].concat()
}

/// Adds a line at the end.
fn add(lines: &Element, number: u32, html: &str) {
    let Ok(line) = document().create_element("span") else { return };
    line.set_id(&id(number));
    line.set_inner_html(html);
    let _ = lines.append_with_node_1(&line);
    let _ = lines.append_with_str_1("\n");
}

/// Removes the lines after the end of the screen, and the oldest ones if there are too many.
fn cut(lines: &Element, end: u32) {
    while let Some(last) = lines.last_element_child().filter(|last| number_of(last) >= Some(end)) {
        remove(&last);
    }
    let more = lines.child_element_count().saturating_sub(MOST);
    for _ in 0..more {
        if let Some(oldest) = lines.first_element_child() {
            remove(&oldest);
        }
    }
}

/// Removes a line with its line break.
fn remove(line: &Element) {
    if let (Some(next), Some(parent)) = (line.next_sibling(), line.parent_node()) {
        let _ = parent.remove_child(&next);
    }
    line.remove();
}

fn number_of(line: &Element) -> Option<u32> {
    line.id().strip_prefix("l-")?.parse().ok()
}

fn scrolled(_: &Event) {
    let Some(screen) = first("#screen") else { return };
    let at_end = screen.scroll_top() >= -NEAR;
    // At the end of an open prompt the reader reads it.
    let reads = at_end && asks().is_some();
    if at_end != FOLLOWS.get() && !reads {
        follow(at_end);
    }
}

/// Keeps the newest line in view from now on, or no longer.
fn follow(follows: bool) {
    FOLLOWS.set(follows);
    LEFT_AT.set(SCREEN.with_borrow(Screen::end));
    if let Some(button) = first("#follow") {
        set(&button, "aria-pressed", if follows { "true" } else { "false" });
    }
    if let (Some(lines), Some(screen)) = (first("#lines"), first("#screen")) {
        let height = screen.scroll_height();
        if follows && IS_OLD.replace(false) {
            rebuild(&lines);
        } else if !IS_OLD.get() {
            complete(&lines);
        }
        screen.set_scroll_top(if follows { 0 } else { screen.scroll_top() - (screen.scroll_height() - height) });
    }
    tell_news();
}

/// Tells how many lines have come below those that the reader reads, and offers the lines above them.
fn tell_news() {
    let (Some(button), Some(above)) = (first("#new-lines"), first("#scrollback")) else { return };
    let new = SCREEN.with_borrow(Screen::end).saturating_sub(LEFT_AT.get());
    let text = match new {
        0 => "New lines ↓".to_owned(),
        1 => "1 new line ↓".to_owned(),
        new => [&new.to_string(), " new lines ↓"].concat(),
    };
    tell("#new-lines", &text);
    mark(&button, "hidden", FOLLOWS.get() || (new == 0 && !IS_OLD.get()));
    mark(&above, "disabled", top() == 0 || IS_OLD.get());
}

/// Returns the number of the first line that the page has.
fn top() -> u32 {
    first("#lines > [id]").and_then(|line| number_of(&line)).unwrap_or(0)
}

/// Handles a click on the bar of the pane.
fn clicked(event: &Event) {
    let Some(button) = target(event).and_then(|clicked| around(&clicked, "button")) else { return };
    match &*button.id() {
        "follow" => follow(!FOLLOWS.get()),
        "new-lines" => follow(true),
        "scrollback" => load(),
        "fit" => {
            let on = get(&button, "aria-pressed") != "true";
            set(&button, "aria-pressed", if on { "true" } else { "false" });
            fit();
        }
        "copy-pane" => copy(button),
        _ => {}
    }
}

/// Shows more lines of the history above the first one.
fn load() {
    let (Some(pane), Some(lines)) = (first("#pane"), first("#lines")) else { return };
    let before = top();
    if LOADS.replace(true) {
        return;
    }
    let address = ["/standing/", &get(&pane, "data-pane"), "/scrollback?before=", &before.to_string()].concat();
    spawn_local(async move {
        let answer = page::part(&address, None).await;
        LOADS.set(false);
        let found = match answer {
            Ok(html) => parts::parsed(&html),
            Err(failure) => return stale::failed(&failure),
        };
        // The first line may be another one by now.
        let (Some(found), true) = (found, top() == before) else { return };
        follow(false);
        let above = lines.first_child();
        while let Some(node) = found.first_child() {
            let _ = lines.insert_before(&node, above.as_ref());
        }
        if let Some(screen) = first("#screen") {
            screen.set_scroll_top(screen.scroll_top() - screen.client_height() * 3 / 4);
        }
        tell_news();
    });
}

fn copy(button: Element) {
    let text = first("#lines").and_then(|lines| lines.text_content()).unwrap_or_default();
    spawn_local(async move {
        let copied = clicks::copy_text(text.trim_end()).await;
        button.set_text_content(Some(if copied { "Copied" } else { "Select the text" }));
        wait(1_500).await;
        button.set_text_content(Some("Copy"));
    });
}

/// Chooses the font size at which the pane fits its width, if that is asked for.
fn fit() {
    let (Some(lines), Some(screen), Some(ruler)) = (first("#lines"), first("#screen"), first("#ruler")) else { return };
    unset(&lines, "data-fit");
    unset(&ruler, "data-fit");
    if first("#fit[aria-pressed=true]").is_none() {
        return;
    }
    let cols = f64::from(SCREEN.with_borrow(|screen| screen.cols));
    let room = f64::from(screen.client_width() - 24);
    // The ruler is a hundred characters wide. The largest size that fits is taken, or the smallest.
    for size in SIZES.iter().rev() {
        set(&lines, "data-fit", size);
        set(&ruler, "data-fit", size);
        if ruler.get_bounding_client_rect().width() / 100.0 * cols <= room {
            break;
        }
    }
}

/// Runs the action of a key on the page of a session; false if it has none.
pub(super) fn key(key: &str) -> bool {
    let Some(main) = first("main[data-session]") else { return false };
    let found = match key {
        "j" => inside(&main, "a[rel=next]"),
        "k" => inside(&main, "a[rel=prev]"),
        "f" => inside(&main, "#follow"),
        "m" => {
            let field = inside(&main, ".dock textarea");
            if let Some(field) = &field {
                focus(field);
            }
            return field.is_some();
        }
        "i" => return side::go(),
        digit if digit.len() == 1 && digit.as_bytes()[0].is_ascii_digit() => {
            inside(&main, &["#prompt button[value=\"", digit, "\"]"].concat())
        }
        _ => None,
    };
    found.as_ref().map(press).is_some()
}
