//! Colours of a terminal and the nearest ones of the page.
//!
//! A program chooses among 16 million colours, for a ground that it does not know. Here hue and lightness select one of
//! few colours that are known to be readable on the ground of the pane.

/// Foreground of the page's pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    Ink,
    Dim,
    Black,
    White,
    Hue(Hue),
}

/// Background of the page's pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tint {
    Neutral,
    Hue(Hue),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hue {
    Red,
    Yellow,
    Green,
    Cyan,
    Blue,
    Magenta,
}

/// Red, green and blue.
pub(super) type Rgb = [u8; 3];

/// The sixteen colours in the usual palette of xterm.
const SIXTEEN: [Rgb; 16] = [
    [0, 0, 0],
    [205, 0, 0],
    [0, 205, 0],
    [205, 205, 0],
    [0, 0, 238],
    [205, 0, 205],
    [0, 205, 205],
    [229, 229, 229],
    [127, 127, 127],
    [255, 0, 0],
    [0, 255, 0],
    [255, 255, 0],
    [92, 92, 255],
    [255, 0, 255],
    [0, 255, 255],
    [255, 255, 255],
];

/// Levels of the colour cube.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// Difference of the strongest and the weakest part below which a colour is grey.
const GREY: u8 = 28;

impl Colour {
    /// Returns the class in the style sheet.
    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Ink => "n",
            Self::Dim | Self::Black => "d",
            Self::White => "w",
            Self::Hue(Hue::Red) => "r",
            Self::Hue(Hue::Yellow) => "y",
            Self::Hue(Hue::Green) => "g",
            Self::Hue(Hue::Cyan) => "c",
            Self::Hue(Hue::Blue) => "u",
            Self::Hue(Hue::Magenta) => "m",
        }
    }

    /// Returns the colour of one of the numbers 30 to 37 and 90 to 97.
    pub(super) fn of_sixteen(number: u16) -> Self {
        Self::nearest(SIXTEEN[index(number)])
    }

    pub(super) fn nearest(rgb: Rgb) -> Self {
        match hue(rgb) {
            Some(hue) => Self::Hue(hue),
            None => match lightness(rgb) {
                0..60 => Self::Black,
                60..150 => Self::Dim,
                150..245 => Self::Ink,
                245.. => Self::White,
            },
        }
    }
}

impl Tint {
    /// Returns the class in the style sheet.
    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Neutral => "kn",
            Self::Hue(Hue::Red) => "kr",
            Self::Hue(Hue::Yellow) => "ky",
            Self::Hue(Hue::Green) => "kg",
            Self::Hue(Hue::Cyan) => "kc",
            Self::Hue(Hue::Blue) => "ku",
            Self::Hue(Hue::Magenta) => "km",
        }
    }

    /// Returns the background of one of the numbers 30 to 37 and 90 to 97; none for black, which is the ground.
    pub(super) fn of_sixteen(number: u16) -> Option<Self> {
        Self::nearest(SIXTEEN[index(number)])
    }

    pub(super) fn nearest(rgb: Rgb) -> Option<Self> {
        match hue(rgb) {
            Some(hue) => Some(Self::Hue(hue)),
            None => (lightness(rgb) >= 24).then_some(Self::Neutral),
        }
    }
}

/// Returns the position among the sixteen colours.
const fn index(number: u16) -> usize {
    let index = if number >= 90 { number - 90 + 8 } else { number.saturating_sub(30) };
    (index % 16) as usize
}

/// Returns a colour that is given by the parameters after 38 or 48, as parts of one parameter or as several; `None` if
/// they are incomplete.
pub(super) fn rgb<'a>(inside: &str, parts: &mut impl Iterator<Item = &'a str>) -> Option<Rgb> {
    if inside.is_empty() {
        return match parts.next()? {
            "5" => of_palette(parts.next()?),
            "2" => of_parts([parts.next()?, parts.next()?, parts.next()?]),
            _ => None,
        };
    }
    let inside: Vec<&str> = inside.split(':').collect();
    match inside[..] {
        ["5", number, ..] => of_palette(number),
        // The parts may be preceded by a colour space.
        ["2", red, green, blue] | ["2", _, red, green, blue, ..] => of_parts([red, green, blue]),
        _ => None,
    }
}

fn of_parts(parts: [&str; 3]) -> Option<Rgb> {
    let [red, green, blue] = parts.map(|part| part.parse().ok());
    Some([red?, green?, blue?])
}

fn of_palette(number: &str) -> Option<Rgb> {
    let number: u8 = number.parse().ok()?;
    Some(match number {
        0..16 => SIXTEEN[usize::from(number)],
        16..232 => {
            let at = usize::from(number - 16);
            [LEVELS[at / 36], LEVELS[at / 6 % 6], LEVELS[at % 6]]
        }
        232.. => [8 + 10 * (number - 232); 3],
    })
}

fn lightness(rgb: Rgb) -> u8 {
    let [least, most] = ends(rgb);
    least.midpoint(most)
}

fn ends([red, green, blue]: Rgb) -> [u8; 2] {
    [red.min(green).min(blue), red.max(green).max(blue)]
}

/// Returns the hue; `None` for a grey.
fn hue(rgb: Rgb) -> Option<Hue> {
    let [least, most] = ends(rgb);
    let range = most - least;
    // A dark colour needs less of a difference: the backgrounds of a comparison are dark.
    if range < GREY.min(most / 3 + 8) {
        return None;
    }
    let [red, green, blue] = rgb.map(i32::from);
    let range = i32::from(range);
    let degrees = match most {
        most if most == rgb[0] => (60 * (green - blue) / range).rem_euclid(360),
        most if most == rgb[1] => 120 + 60 * (blue - red) / range,
        _ => 240 + 60 * (red - green) / range,
    };
    Some(match degrees {
        12..70 => Hue::Yellow,
        70..165 => Hue::Green,
        165..200 => Hue::Cyan,
        200..255 => Hue::Blue,
        255..340 => Hue::Magenta,
        _ => Hue::Red,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hue_and_lightness_decide() {
        let class = |rgb| Colour::nearest(rgb).class();
        assert_eq!(class([255, 107, 128]), "r");
        assert_eq!(class([215, 119, 87]), "y");
        assert_eq!(class([78, 186, 101]), "g");
        assert_eq!(class([0, 200, 190]), "c");
        assert_eq!(class([177, 185, 249]), "u");
        assert_eq!(class([147, 112, 219]), "m");
        assert_eq!(["n", "d", "w"], [class([200, 200, 200]), class([90, 92, 95]), class([255, 255, 250])]);
        let tint = |rgb| Tint::nearest(rgb).map(Tint::class);
        assert_eq!([tint([2, 40, 0]), tint([61, 1, 0]), tint([55, 55, 55])], [Some("kg"), Some("kr"), Some("kn")]);
        assert_eq!(tint([0, 0, 0]), None);
    }

    #[test]
    fn every_number_of_the_palette_is_a_colour() {
        for number in 0..=255 {
            assert!(of_palette(&number.to_string()).is_some());
        }
        assert_eq!(of_palette("256"), None);
        assert_eq!(of_palette("208"), Some([255, 135, 0]));
        assert_eq!(of_palette("240"), Some([88; 3]));
    }
}
