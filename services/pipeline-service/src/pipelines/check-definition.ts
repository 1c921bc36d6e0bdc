import { EVENT_SCHEMA, Refusal, type JsonString, type Transformation } from '@penstock/contracts';
import { parseFilter, printFilter } from '@penstock/filters';
import {
  Invalid,
  isJsonObject,
  type Issue,
  type Json,
  parseJson,
  parseSchema,
  pointer,
  printType,
  type Schema,
} from '@penstock/schema';
import { compileMapping, unmappedProperties } from '@penstock/transformations';

/** What a client sent of a pipeline, as JSON text. */
export interface DefinitionInput {
  readonly filter: JsonString | null;
  readonly transformation: JsonString | null;
  readonly outSchema: JsonString | null;
}

/** The same, checked and in canonical form. */
export interface Definition {
  readonly filter: JsonString | null;
  readonly transformation: Transformation | null;
  readonly outSchema: JsonString | null;
  /** The parsed outSchema. */
  readonly schema: Schema | null;
}

const parsed = (text: JsonString | null): Json => (text === null ? null : parseJson(text));

/** Issues of one member, told from the request's root. */
const under = (member: string, { path, message }: Issue): Issue => ({
  path: `${pointer(...member.split('/'))}${path}`,
  message,
});

/** Collects what several checks find, so that all of it is reported at once. */
class Findings {
  readonly issues: Issue[] = [];

  add(path: string, message: string): void {
    this.issues.push({ path, message });
  }

  /** @returns undefined when the check found something. */
  of<T>(member: string, check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      this.issues.push(...error.issues.map((issue) => under(member, issue)));
      return undefined;
    }
  }
}

const checkFilter = (text: JsonString | null, findings: Findings): JsonString | null => {
  const json = parsed(text);
  if (json === null) return null;
  const filter = findings.of('filter', () => parseFilter(json, EVENT_SCHEMA, 'DestinationEvent'));
  return filter === undefined ? null : printFilter(filter);
};

const TRANSFORMATION_MEMBERS = new Set(['mapping', 'function']);

/** The one member that is given; the other is absent or null. */
const chosen = (json: Json, findings: Findings): { name: string; value: Json } | undefined => {
  if (!isJsonObject(json)) {
    findings.add('/transformation', 'must be an object with either mapping or function');
    return undefined;
  }
  for (const name of json.keys())
    if (!TRANSFORMATION_MEMBERS.has(name))
      findings.add(pointer('transformation', name), 'is not a member of a transformation');
  const given = [...json].filter(
    ([name, value]) => TRANSFORMATION_MEMBERS.has(name) && value !== null,
  );
  const [first] = given;
  if (first !== undefined && given.length === 1) return { name: first[0], value: first[1] };
  findings.add('/transformation', 'exactly one of mapping and function must be given');
  return undefined;
};

const expressions = (json: Json, findings: Findings): ReadonlyMap<string, string> | undefined => {
  if (!isJsonObject(json)) {
    findings.add('/transformation/mapping', 'must be an object with an expression for each path');
    return undefined;
  }
  if (json.size === 0) findings.add('/transformation/mapping', 'must have at least one entry');
  for (const [path, value] of json)
    if (typeof value !== 'string')
      findings.add(pointer('transformation', 'mapping', path), 'must be an expression: a string');
  return json as ReadonlyMap<string, string>;
};

const checkMapping = (
  json: Json,
  schema: Schema | null,
  findings: Findings,
): Transformation | null => {
  const before = findings.issues.length;
  const mapping = expressions(json, findings);
  if (mapping === undefined || schema === null || findings.issues.length > before) return null;
  findings.of('transformation/mapping', () => compileMapping(mapping, EVENT_SCHEMA, schema));
  for (const path of unmappedProperties(mapping, schema))
    findings.add('/outSchema', `property ${path} is not given by the mapping`);
  return { mapping: Object.fromEntries(mapping), function: null };
};

/** No language of functions is supported by this version. */
const refuseFunction = (json: Json, findings: Findings): void => {
  const language = isJsonObject(json) ? json.get('language') : undefined;
  if (typeof language === 'string') throw new Refusal('UnsupportedLanguage');
  findings.add('/transformation/function/language', 'must be a string');
};

/**
 * Checks what a pipeline on events says of itself, all at once. Whether it fits its event type comes after.
 *
 * @throws Refusal BadRequest with every issue found, or UnsupportedLanguage.
 */
export const checkDefinition = (input: DefinitionInput): Definition => {
  const findings = new Findings();
  const filter = checkFilter(input.filter, findings);
  const outJson = parsed(input.outSchema);
  const schema =
    outJson === null ? null : (findings.of('outSchema', () => parseSchema(outJson)) ?? null);
  const json = parsed(input.transformation);
  if (json !== null && outJson === null)
    findings.add('/outSchema', 'is required with a transformation');
  if (json === null && outJson !== null)
    findings.add('/transformation', 'is required with an outSchema');
  const choice = json === null ? undefined : chosen(json, findings);
  const transformation =
    choice?.name === 'mapping' ? checkMapping(choice.value, schema, findings) : null;
  if (findings.issues.length === 0 && choice?.name === 'function')
    refuseFunction(choice.value, findings);
  if (findings.issues.length > 0) throw new Refusal('BadRequest', { details: findings.issues });
  return { filter, transformation, outSchema: schema && printType(schema), schema };
};
