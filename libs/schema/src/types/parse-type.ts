import { type Issue, Invalid } from '../issue';
import type { Json } from '../json';
import { checkRoleFlags, type SchemaRole } from '../role-flags';
import { type Kind, KINDS, type Schema, type Type } from '../type';
import { readArrayType, readMapType, readObjectType, type ReadInner } from './container-types';
import { Notation } from './notation';
import { readDecimalType, readFloatType, readIntType, readStringType } from './scalar-types';

/** How deep types may stand in one another; a type that holds no other has depth 0. */
const MAX_DEPTH = 32;

/** What reading goes on with where no type could be read. */
const STAND_IN: Type = { kind: 'boolean' };

const NO_OBJECT: Issue = {
  path: '/kind',
  message: 'must be object: a schema is a type of that kind',
};

interface KindNotation {
  /** Beside `kind`. */
  readonly keys: readonly string[];
  readonly read: (notation: Notation, readInner: ReadInner) => Type;
}

const plain = (kind: 'boolean' | 'datetime' | 'date' | 'time' | 'year' | 'uuid' | 'json' | 'ip') =>
  ({ keys: [], read: () => ({ kind }) }) satisfies KindNotation;

const NOTATIONS: Readonly<Record<Kind, KindNotation>> = {
  string: {
    keys: ['values', 'pattern', 'maxLength', 'charLen', 'maxByteLength'],
    read: readStringType,
  },
  boolean: plain('boolean'),
  int: { keys: ['bitSize', 'minimum', 'maximum', 'unsigned'], read: readIntType },
  float: { keys: ['bitSize', 'minimum', 'maximum', 'real'], read: readFloatType },
  decimal: { keys: ['precision', 'scale', 'minimum', 'maximum'], read: readDecimalType },
  datetime: plain('datetime'),
  date: plain('date'),
  time: plain('time'),
  year: plain('year'),
  uuid: plain('uuid'),
  json: plain('json'),
  ip: plain('ip'),
  array: {
    keys: ['elementType', 'minElements', 'maxElements', 'uniqueElements'],
    read: readArrayType,
  },
  object: { keys: ['properties'], read: readObjectType },
  map: { keys: ['elementType'], read: readMapType },
};

/**
 * Reads a type in its JSON notation.
 *
 * @throws Invalid with every issue, located by JSON pointers from the root of `json`.
 */
export const parseType = (json: Json): Type => {
  const issues: Issue[] = [];
  const type = readType(json, '', issues, 0);
  if (issues.length > 0) throw new Invalid(issues);
  return type;
};

/** What was read of a schema that has a place in a pipeline. */
export interface SchemaReading {
  /** Undefined when the notation is wrong; a schema whose flags are wrong can still be read. */
  readonly schema: Schema | undefined;
  /** Everything that is wrong with notation and flags, located like those of {@link parseType}. */
  readonly issues: readonly Issue[];
}

/** Reads a schema as far as it goes, and checks its flags by its role. */
export const readSchema = (json: Json, role: SchemaRole): SchemaReading => {
  const issues: Issue[] = [];
  const type = readType(json, '', issues, 0);
  const isRead = issues.length === 0;
  if (type.kind === 'object') issues.push(...checkRoleFlags(type, role));
  else if (isRead) issues.push(NO_OBJECT);
  return { schema: isRead && type.kind === 'object' ? type : undefined, issues };
};

/**
 * Reads a schema: a type of kind object.
 *
 * @throws Invalid like {@link parseType}.
 */
export const parseSchema = (json: Json): Schema => {
  const type = parseType(json);
  if (type.kind === 'object') return type;
  throw new Invalid([NO_OBJECT]);
};

const readType = (json: Json | undefined, path: string, issues: Issue[], depth: number): Type => {
  if (depth > MAX_DEPTH) {
    issues.push({ path, message: `is nested deeper than ${MAX_DEPTH}` });
    return STAND_IN;
  }
  const notation = Notation.open(json, path, issues);
  const kind = notation && readKind(notation);
  if (!kind) return STAND_IN;
  const { keys, read } = NOTATIONS[kind];
  notation.allowOnly(['kind', ...keys], `kind ${kind}`);
  return read(notation, (inner, key) =>
    readType(inner.get(key), inner.pathOf(key), issues, depth + 1),
  );
};

const readKind = (notation: Notation): Kind | undefined => {
  const name = notation.get('kind');
  const kind = KINDS.find((each) => each === name);
  if (kind === undefined)
    notation.refuse(
      'kind',
      `${name === undefined ? 'is required' : 'must be'}: ${KINDS.join(', ')}`,
    );
  return kind;
};
