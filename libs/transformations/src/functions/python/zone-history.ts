/** A period between two changes of a zone's clocks. */
export interface ZonePeriod {
  /** Start in Unix time; the first period has no start. */
  readonly startSeconds: number;
  /** Offset east of UTC. */
  readonly offsetSeconds: number;
  readonly isDaylightSaving: boolean;
  /** As in the time zone database where English has one, e.g. `CEST`; else the offset, e.g. `+0545`. */
  readonly abbreviation: string;
}

/** Earlier times have the offset of 1900, later ones that of the end of 2099. */
const FIRST_SECONDS = Date.UTC(1900, 0, 1) / 1000;
const LAST_SECONDS = Date.UTC(2100, 0, 1) / 1000;
/** No zone has changed its clocks and changed them back within this time. */
const STEP_SECONDS = 7 * 24 * 60 * 60;

const DAYLIGHT_SAVING = /\b(Summer|Daylight)\b/;
/** Each locale knows the abbreviations of its own region only, and writes `GMT+1` for others. */
const ENGLISH = ['en-US', 'en-GB', 'en-AU', 'en-NZ', 'en-IN', 'en-ZA'];

type NameStyle = NonNullable<Intl.DateTimeFormatOptions['timeZoneName']>;
type NameAt = (seconds: number) => string;

const namesOf = (timeZone: string, timeZoneName: NameStyle, locale = 'en-US'): NameAt => {
  const format = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName });
  return (seconds) => {
    const text = format.format(seconds * 1000);
    return text.slice(text.indexOf(', ') + 2);
  };
};

const secondsOf = (offset: string): number => {
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
};

/** Finds the first second after `before` with another offset. */
const changeBetween = (offsetAt: NameAt, before: number, after: number): number => {
  const offset = offsetAt(before);
  let [low, high] = [before, after];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === offset) low = middle;
    else high = middle;
  }
  return high;
};

const startsOf = (offsetAt: NameAt): number[] => {
  const starts = [FIRST_SECONDS];
  let offset = offsetAt(FIRST_SECONDS);
  for (let at = FIRST_SECONDS + STEP_SECONDS; at < LAST_SECONDS; at += STEP_SECONDS) {
    const next = offsetAt(at);
    if (next === offset) continue;
    offset = next;
    starts.push(changeBetween(offsetAt, at - STEP_SECONDS, at));
  }
  return starts;
};

const abbreviationsOf = (timeZone: string): NameAt => {
  const locales = ENGLISH.map((locale) => namesOf(timeZone, 'short', locale));
  return (seconds) => {
    const names = locales.map((nameAt) => nameAt(seconds));
    return names.find((name) => /^[A-Z]{3,6}$/.test(name)) ?? '';
  };
};

const numeric = (offset: string): string =>
  offset.replace('GMT', '').replaceAll(':', '').replace(/00$/, '') || '+00';

/**
 * Finds every change of a zone's clocks from 1900 to 2100 in the runtime's time zone data; takes some tens of
 * milliseconds. Two changes within a week that cancel each other would be missed; there are none. Names, and with them
 * daylight saving, are available from 1970: an earlier period has its offset only.
 *
 * @throws RangeError for a zone that the runtime does not know.
 */
export const zoneHistory = (timeZone: string): ZonePeriod[] => {
  const offsetAt = namesOf(timeZone, 'longOffset');
  const nameAt = namesOf(timeZone, 'long');
  const abbreviationAt = abbreviationsOf(timeZone);
  const known = new Map<string, string>();
  return startsOf(offsetAt).map((startSeconds, index, starts) => {
    const lastSecond = (starts[index + 1] ?? LAST_SECONDS) - 1;
    const [offset, name] = [offsetAt(startSeconds), nameAt(lastSecond)];
    const key = `${offset} ${name}`;
    const abbreviation = known.get(key) ?? (abbreviationAt(lastSecond) || numeric(offset));
    known.set(key, abbreviation);
    return {
      startSeconds,
      offsetSeconds: secondsOf(offset),
      isDaylightSaving: DAYLIGHT_SAVING.test(name),
      abbreviation,
    };
  });
};
