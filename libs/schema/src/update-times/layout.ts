import { codePointLength } from '../texts/code-points';
import { canonicalDateTime } from '../texts/date-time';
import { type Directive, DIRECTIVES, type Part } from './directives';

/** Source: specification of update times; in code points. */
const MAX_LAYOUT_LENGTH = 64;

/** A directive of a layout, or a text that stands for itself. */
const PIECE = /%(.?)|[^%]+/gsu;

/** A layout, read: a regular expression and what its groups give. */
interface Layout {
  readonly pattern: RegExp;
  readonly directives: readonly Directive[];
  /** Whether hours are those of half a day. */
  readonly hasHalves: boolean;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

const unknown = (name: string): string =>
  `holds the directive %${name}, which does not exist: use ${[...DIRECTIVES.keys(), '%'].map((each) => `%${each}`).join(' ')}`;

/** Reads a layout. @returns what is wrong with it, as a text, when it cannot be one. */
const readLayout = (text: string): Layout | string => {
  const directives: Directive[] = [];
  let pattern = '';
  let hasHalves = false;
  for (const [piece, name] of text.matchAll(PIECE)) {
    if (name === undefined) pattern += escaped(piece);
    else if (name === '%') pattern += '%';
    else {
      const directive = DIRECTIVES.get(name);
      if (directive === undefined) return unknown(name);
      if (directives.some(({ part }) => part === directive.part))
        return `gives the ${directive.part} twice`;
      directives.push(directive);
      hasHalves ||= name === 'I';
      pattern += `(${directive.pattern})`;
    }
  }
  if (!directives.some(({ part }) => part === 'year')) return 'must hold %Y or %y';
  return { pattern: new RegExp(`^${pattern}$`, 'u'), directives, hasHalves };
};

type Parts = ReadonlyMap<Part, string>;

const HOURS_OF_HALF = 12;

/** 12 am is midnight, 12 pm is noon. Without a half it is the morning. */
const hourOf = (parts: Parts, hasHalves: boolean): string => {
  const hour = parts.get('hour') ?? '0';
  if (!hasHalves) return hour;
  const afternoon = parts.get('half') === 'pm' ? HOURS_OF_HALF : 0;
  return String((Number(hour) % HOURS_OF_HALF) + afternoon);
};

const two = (digits: string): string => digits.padStart(2, '0');

/** The day of the year counts where there is neither a month nor a day. */
const dayOf = (parts: Parts): string => {
  const day = parts.get('dayOfYear');
  if (day !== undefined && !parts.has('month') && !parts.has('day')) return day.padStart(3, '0');
  return `${two(parts.get('month') ?? '1')}-${two(parts.get('day') ?? '1')}`;
};

const isoText = (parts: Parts, hasHalves: boolean): string => {
  const clock = [hourOf(parts, hasHalves), parts.get('minute') ?? '0', parts.get('second') ?? '0'];
  const time = `${clock.map(two).join(':')}.${parts.get('fraction') ?? '0'}`;
  return `${parts.get('year') ?? ''}-${dayOf(parts)}T${time}${parts.get('offset') ?? 'Z'}`;
};

/**
 * Compiles a layout of directives such as `%d.%m.%Y %H:%M`.
 *
 * What a layout does not give is the first of its kind, the zone UTC. Names are English, in any case. A weekday is read,
 * but not compared with the date.
 *
 * @returns a reader of canonical datetimes, which gives undefined for a text of another form or a day that never was; or,
 *   as a text, what is wrong with the layout.
 */
export const compileLayout = (layout: string): ((text: string) => string | undefined) | string => {
  if (codePointLength(layout) > MAX_LAYOUT_LENGTH)
    return `must have at most ${String(MAX_LAYOUT_LENGTH)} characters`;
  const read = readLayout(layout);
  if (typeof read === 'string') return read;
  const { pattern, directives, hasHalves } = read;
  return (text) => {
    const match = pattern.exec(text);
    if (match === null) return undefined;
    const parts = new Map(
      directives.map(({ part, value }, index) => [
        part,
        value((match[index + 1] ?? '').toLowerCase()),
      ]),
    );
    return canonicalDateTime(isoText(parts, hasHalves));
  };
};
