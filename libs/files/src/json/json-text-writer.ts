import {
  type ArrayType,
  compareCodePoints,
  type JsonText,
  type MapType,
  type RecordValue,
  type Schema,
  textOf,
  type Type,
  type Value,
} from '@penstock/schema';

/**
 * Makes the JSON text of a value.
 *
 * @param margin what a new line begins with; undefined: the text has none.
 */
export type TextWriter = (value: Value, margin: string | undefined) => string;

const STEP = '  ';

/** The parts of an array or object, one a line where there is a margin. */
const framed = (
  [open, close]: readonly [string, string],
  parts: readonly string[],
  margin: string | undefined,
): string => {
  if (parts.length === 0) return open + close;
  if (margin === undefined) return open + parts.join(',') + close;
  const inner = `\n${margin}${STEP}`;
  return `${open}${inner}${parts.join(`,${inner}`)}\n${margin}${close}`;
};

const within = (margin: string | undefined): string | undefined =>
  margin === undefined ? undefined : margin + STEP;

const colon = (margin: string | undefined): string => (margin === undefined ? ':' : ': ');

const ofArray = ({ elementType }: ArrayType): TextWriter => {
  const element = textWriter(elementType);
  return (value, margin) =>
    framed(
      ['[', ']'],
      (value as readonly Value[]).map((each) => element(each, within(margin))),
      margin,
    );
};

const ofMap = ({ elementType }: MapType): TextWriter => {
  const element = textWriter(elementType);
  return (value, margin) =>
    framed(
      ['{', '}'],
      [...(value as ReadonlyMap<string, Value>)]
        .sort(([one], [other]) => compareCodePoints(one, other))
        .map(([key, each]) => JSON.stringify(key) + colon(margin) + element(each, within(margin))),
      margin,
    );
};

const ofObject = ({ properties }: Schema): TextWriter => {
  const members = properties.map(({ name, type }) => ({
    name,
    key: JSON.stringify(name),
    writer: textWriter(type),
  }));
  return (value, margin) => {
    const record = value as RecordValue;
    const parts = members.flatMap(({ name, key, writer }) => {
      const member = record[name];
      if (member === undefined) return [];
      const text = member === null ? 'null' : writer(member, within(margin));
      return [key + colon(margin) + text];
    });
    return framed(['{', '}'], parts, margin);
  };
};

/** Values whose form in memory is that of JSON, or its text. NaN and the infinities are written as they are called. */
export const textWriter = (type: Type): TextWriter => {
  switch (type.kind) {
    case 'array':
      return ofArray(type);
    case 'map':
      return ofMap(type);
    case 'object':
      return ofObject(type);
    case 'json':
      return (value) => (value as JsonText).text;
    case 'float':
      return (value) => textOf(type, value);
    case 'boolean':
    case 'int':
    case 'year':
    case 'decimal':
      return (value) => `${value as boolean | number | bigint | string}`;
    default:
      return (value) => JSON.stringify(value);
  }
};
