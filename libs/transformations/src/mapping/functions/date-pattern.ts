/** Positions of fields in `yyyy-MM-ddTHH:mm:ss.SSS`. */
const FIELDS: Readonly<Record<string, readonly [start: number, end: number]>> = {
  yyyy: [0, 4],
  MM: [5, 7],
  dd: [8, 10],
  HH: [11, 13],
  mm: [14, 16],
  ss: [17, 19],
};

/** Writes one part of the result from a canonical datetime. */
type Write = (datetime: string) => string;

const milliseconds: Write = (datetime) => datetime.slice(20, -1).slice(0, 3).padEnd(3, '0');

const field = (token: string): Write | undefined => {
  if (token === 'SSS') return milliseconds;
  const place = FIELDS[token];
  if (!place) return undefined;
  const [start, end] = place;
  return (datetime) => datetime.slice(start, end);
};

/** A run of one letter; a quote; text in quotes; other text up to one of these. */
const PART = /([A-Za-z])\1*|''|'(?:[^']|'')+'|[^A-Za-z']+/y;

/** Two quotes stand for one, inside quotes and outside. */
const unquoted = (part: string): string =>
  part === "''" ? "'" : part.slice(1, -1).replaceAll("''", "'");

const write = (part: string): Write | string => {
  if (part.startsWith("'")) {
    const text = unquoted(part);
    return () => text;
  }
  if (!/[A-Za-z]/.test(part)) return () => part;
  return field(part) ?? `"${part}" is none of yyyy, MM, dd, HH, mm, ss, SSS`;
};

/** Compiles a pattern to a writer; a string describes what is wrong with the pattern. */
export const datePattern = (pattern: string): Write | string => {
  const writes: Write[] = [];
  const part = new RegExp(PART);
  for (let at = 0; at < pattern.length; at = part.lastIndex) {
    part.lastIndex = at;
    const found = part.exec(pattern);
    if (!found) return 'a quote is not closed';
    const next = write(found[0]);
    if (typeof next === 'string') return next;
    writes.push(next);
  }
  return (datetime) => {
    let text = '';
    for (const each of writes) text += each(datetime);
    return text;
  };
};
