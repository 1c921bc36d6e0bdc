import type { JsonText, ObjectType, RecordValue, Type, Value } from '@penstock/schema';
import type { FunctionLanguage } from './transformation-function';

/** Writes a value as the JSON text that the guest decodes. */
export type WriteInput = (value: NonNullable<Value>) => string;

interface Target {
  readonly language: FunctionLanguage;
  readonly preserveJSON: boolean;
}

const plain: WriteInput = (value) =>
  typeof value === 'string' ? value : (value as number | bigint | boolean).toString();
const quoted: WriteInput = (value) => JSON.stringify(plain(value));
const float: WriteInput = (value) => (Number.isFinite(value) ? plain(value) : quoted(value));
const jsonText: WriteInput = (value) => (value as JsonText).text;
const quotedJson: WriteInput = (value) => JSON.stringify((value as JsonText).text);

const orNull =
  (write: WriteInput) =>
  (value: Value): string =>
    value === null ? 'null' : write(value);

const objectWriter = (type: ObjectType, target: Target): WriteInput => {
  const members = type.properties.map(({ name, type: inner }) => ({
    name,
    label: `${JSON.stringify(name)}:`,
    write: orNull(writeInput(inner, target)),
  }));
  return (value) => {
    const record = value as RecordValue;
    let text = '';
    for (const { name, label, write } of members) {
      const member = record[name];
      if (member !== undefined) text += (text && ',') + label + write(member);
    }
    return `{${text}}`;
  };
};

const arrayWriter = (elementType: Type, target: Target): WriteInput => {
  const write = orNull(writeInput(elementType, target));
  return (value) => `[${(value as readonly Value[]).map(write).join(',')}]`;
};

const mapWriter = (elementType: Type, target: Target): WriteInput => {
  const write = orNull(writeInput(elementType, target));
  return (value) => {
    let text = '';
    for (const [key, element] of value as ReadonlyMap<string, Value>)
      text += `${text && ','}${JSON.stringify(key)}:${write(element)}`;
    return `{${text}}`;
  };
};

/**
 * Compiles the writer of a type. Members that the type does not have are left out; 64-bit integers are quoted for
 * JavaScript, whose JSON would round them; decimals always are.
 */
export const writeInput = (type: Type, target: Target): WriteInput => {
  switch (type.kind) {
    case 'object':
      return objectWriter(type, target);
    case 'array':
      return arrayWriter(type.elementType, target);
    case 'map':
      return mapWriter(type.elementType, target);
    case 'json':
      return target.preserveJSON ? quotedJson : jsonText;
    case 'int':
      return type.bitSize === 64 && target.language === 'JavaScript' ? quoted : plain;
    case 'float':
      return float;
    case 'boolean':
    case 'year':
      return plain;
    default:
      return quoted;
  }
};
