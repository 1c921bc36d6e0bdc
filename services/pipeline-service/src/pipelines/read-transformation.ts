import type { JsonString, TransformationFunction } from '@penstock/contracts';
import {
  codePointLength,
  isJsonArray,
  isJsonObject,
  type Json,
  parseJson,
  pointer,
  UNCLEAN,
} from '@penstock/schema';
import { Findings } from './findings';

/** A function whose language may be any text. */
export interface SubmittedFunction extends Omit<TransformationFunction, 'language'> {
  readonly language: string;
}

/** A transformation of the right shape; it is not yet checked against schemas. */
export type SubmittedTransformation =
  | { readonly kind: 'mapping'; readonly mapping: ReadonlyMap<string, string> }
  | { readonly kind: 'function'; readonly function: SubmittedFunction };

/** Source: API document, "Limits"; in code points. */
const MAX_SOURCE_LENGTH = 50_000;

const isSource = (value: Json): boolean =>
  typeof value === 'string' &&
  value !== '' &&
  !UNCLEAN.test(value) &&
  codePointLength(value) <= MAX_SOURCE_LENGTH;

type Check = (value: Json, at: string, findings: Findings) => void;

const checkPaths: Check = (value, at, findings) => {
  if (!isJsonArray(value)) return findings.add(at, 'must be an array of paths');
  value.forEach((path, index) => {
    if (typeof path !== 'string') findings.add(`${at}/${String(index)}`, 'must be a string');
  });
};

const check =
  (isRight: (value: Json) => boolean, expected: string): Check =>
  (value, at, findings) => {
    if (!isRight(value)) findings.add(at, expected);
  };

const FUNCTION_MEMBERS: Readonly<Record<keyof SubmittedFunction, Check>> = {
  source: check(
    isSource,
    `must be a text of 1 to ${String(MAX_SOURCE_LENGTH)} characters without NUL and lone surrogates`,
  ),
  language: check((value) => typeof value === 'string', 'must be a string'),
  preserveJSON: check((value) => typeof value === 'boolean', 'must be true or false'),
  inPaths: checkPaths,
  outPaths: checkPaths,
};

const readFunction = (json: Json, findings: Findings): SubmittedTransformation | undefined => {
  const before = findings.count;
  const at = '/transformation/function';
  if (!isJsonObject(json)) {
    findings.add(at, 'must be an object');
    return undefined;
  }
  for (const name of json.keys())
    if (!Object.hasOwn(FUNCTION_MEMBERS, name))
      findings.add(`${at}${pointer(name)}`, 'unknown property of a function');
  for (const [name, checkMember] of Object.entries(FUNCTION_MEMBERS)) {
    const value = json.get(name);
    if (value === undefined) findings.add(`${at}/${name}`, 'is required');
    else checkMember(value, `${at}/${name}`, findings);
  }
  if (findings.count > before) return undefined;
  return { kind: 'function', function: Object.fromEntries(json) as unknown as SubmittedFunction };
};

const readMapping = (json: Json, findings: Findings): SubmittedTransformation | undefined => {
  const before = findings.count;
  const at = '/transformation/mapping';
  if (!isJsonObject(json)) {
    findings.add(at, 'must be an object with an expression for each path');
    return undefined;
  }
  if (json.size === 0) findings.add(at, 'must have at least one entry');
  for (const [path, value] of json)
    if (typeof value !== 'string')
      findings.add(`${at}${pointer(path)}`, 'must be an expression: a string');
  if (findings.count > before) return undefined;
  return { kind: 'mapping', mapping: json as ReadonlyMap<string, string> };
};

const KINDS = { mapping: readMapping, function: readFunction } as const;

const isKind = (name: string): name is keyof typeof KINDS => Object.hasOwn(KINDS, name);

const read = (json: Json, findings: Findings): SubmittedTransformation | undefined => {
  if (!isJsonObject(json)) {
    findings.add('/transformation', 'must be an object with either mapping or function');
    return undefined;
  }
  for (const name of json.keys())
    if (!isKind(name))
      findings.add(pointer('transformation', name), 'unknown property of a transformation');
  const [given, ...others] = [...json].filter(([name, value]) => isKind(name) && value !== null);
  if (given !== undefined && others.length === 0 && isKind(given[0]))
    return KINDS[given[0]](given[1], findings);
  findings.add('/transformation', 'exactly one of mapping and function must be given');
  return undefined;
};

/**
 * Parses a transformation and checks its members and their types.
 *
 * @throws Refusal BadRequest with every issue found.
 */
export const readTransformation = (text: JsonString | null): SubmittedTransformation | null => {
  const json = text === null ? null : parseJson(text);
  if (json === null) return null;
  const findings = new Findings();
  const transformation = read(json, findings) ?? null;
  findings.refuse();
  return transformation;
};
