/** A type of ClickHouse, such as `Nullable(Decimal(9, 2))`. */
export interface TypeName {
  readonly name: string;
  /** As they are written: types, numbers, quoted texts, members of enumerations. */
  readonly parameters: readonly string[];
}

/** Types that add nothing to the values of the type that is their last parameter. */
export const AROUND: ReadonlySet<string> = new Set([
  'Nullable',
  'LowCardinality',
  'SimpleAggregateFunction',
]);

const TYPE = /^\s*(\w+)\s*(?:\(([^]*)\))?\s*$/;

/** Parentheses, commas, and texts and names in quotes. */
const TOKEN = /'(?:\\[^]|''|[^\\'])*'|`(?:\\[^]|``|[^\\`])*`|[(),]|[^(),'`]+/g;

/** Divides at the commas that stand in no parentheses and no quotes. */
const divided = (text: string): readonly string[] => {
  const parts = [''];
  let depth = 0;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (token === ',' && depth === 0) parts.push('');
    else parts.push((parts.pop() ?? '') + token);
  }
  return parts.map((part) => part.trim());
};

/** Reads the name of a type; one that cannot be read has no parameters, and no counterpart. */
export const parseTypeName = (text: string): TypeName => {
  const [, name = text, parameters] = TYPE.exec(text) ?? [];
  return { name, parameters: parameters === undefined ? [] : divided(parameters) };
};

const ESCAPES: Readonly<Record<string, string>> = {
  0: '\0',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** The text that stands in quotes at the beginning of a parameter, such as `'a' = 1`; undefined: none does. */
export const quotedIn = (parameter: string): string | undefined => {
  const [, text] = /^'((?:\\[^]|''|[^\\'])*)'/.exec(parameter) ?? [];
  return text?.replace(/\\([^])|''/g, (_, escaped?: string) =>
    escaped === undefined ? "'" : (ESCAPES[escaped] ?? escaped),
  );
};
