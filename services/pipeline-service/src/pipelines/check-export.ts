import type { ExportDefinition, ExportDestination, KindInput } from '@penstock/contracts';
import { printFilter } from '@penstock/filters';
import { type Kind, nearestName, printType, resolvePath, type Schema } from '@penstock/schema';
import { canonicalTransformation } from './canonical-transformation';
import { checkToApplication } from './check-to-application';
import { checkParts, checkSchema, type DefinitionInput, type PartRules } from './definition-parts';
import type { Findings } from './findings';
import type { SubmittedTransformation } from './read-transformation';
import { leavesBeside } from './schema-leaves';

/** The definition of an export, checked and in canonical form, with its parsed schemas. */
export interface CheckedExport {
  readonly definition: Omit<ExportDefinition, 'name' | 'enabled'>;
  readonly input: Schema;
  /** `null` of an export to files. */
  readonly output: Schema | null;
}

type ToDatabase = Extract<ExportDestination, { kind: 'database' }>;
type ToFile = Extract<ExportDestination, { kind: 'file' }>;

const KEY_KINDS: readonly Kind[] = ['string', 'int', 'uuid'];
/** Kinds whose values have no order. */
const UNORDERED: readonly Kind[] = ['json', 'array', 'object', 'map'];

const hintFor = (name: string, { properties }: Schema): string => {
  const meant = nearestName(
    name,
    properties.map((each) => each.name),
  );
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
};

/** The flags of the key are checked with those of the other columns. */
const checkKey = (key: string, schema: Schema, findings: Findings): void => {
  const found = schema.properties.find(({ name }) => name === key);
  if (found === undefined)
    findings.add('/tableKey', `must be the name of a property of outSchema${hintFor(key, schema)}`);
  else if (!KEY_KINDS.includes(found.type.kind))
    findings.add(
      '/tableKey',
      `must be a property of kind string, int or uuid, not ${found.type.kind}`,
    );
  if (schema.properties.length < 2)
    findings.add('/outSchema', 'must have a property beside the tableKey');
};

const checkOrder = (path: string, schema: Schema, findings: Findings): void => {
  const type = resolvePath(schema, path)?.type;
  if (type === undefined)
    findings.add('/orderBy', `must be the path of a property of inSchema${hintFor(path, schema)}`);
  else if (UNORDERED.includes(type.kind))
    findings.add('/orderBy', `profiles cannot be ordered by a property of kind ${type.kind}`);
};

const checkToDatabase = (
  input: DefinitionInput,
  submitted: SubmittedTransformation | null,
  { key }: ToDatabase,
  inSchema: Schema | null,
  findings: Findings,
) => {
  const rules: PartRules = {
    input: inSchema,
    filter: 'DestinationUser',
    output: { role: 'databaseDestination', tableKey: key },
    mustRead: true,
    givesAll: true,
  };
  const { filter, schema, inPaths } = checkParts(input, submitted, rules, findings);
  if (schema !== null) checkKey(key, schema, findings);
  if (inSchema !== null && inPaths !== undefined)
    for (const { path, pointer } of leavesBeside(inSchema, inPaths))
      findings.add(`/inSchema${pointer}`, `property ${path} is not used`);
  return { filter, schema };
};

const checkToFile = (
  { filter: text }: DefinitionInput,
  { orderBy }: ToFile,
  inSchema: Schema | null,
  findings: Findings,
) => {
  const rules: PartRules = {
    input: inSchema,
    filter: 'DestinationUser',
    output: { role: 'profile' },
    mustRead: false,
    givesAll: false,
  };
  if (inSchema !== null) checkOrder(orderBy, inSchema, findings);
  return checkParts({ filter: text, outSchema: null }, null, rules, findings);
};

const checkKind = (
  input: DefinitionInput,
  submitted: SubmittedTransformation | null,
  destination: ExportDestination,
  inSchema: Schema | null,
  findings: Findings,
) => {
  switch (destination.kind) {
    case 'application':
      return checkToApplication(input, submitted, destination, inSchema, findings);
    case 'database':
      return checkToDatabase(input, submitted, destination, inSchema, findings);
    case 'file':
      return checkToFile(input, destination, inSchema, findings);
  }
};

/**
 * Checks what an export reads of each profile, its filter, its transformation and what that gives, with all issues at
 * once.
 *
 * @param findings issues that were found before.
 * @throws Refusal BadRequest with every issue found, or UnsupportedLanguage.
 */
export const checkExport = (
  input: DefinitionInput & KindInput,
  submitted: SubmittedTransformation | null,
  destination: ExportDestination,
  findings: Findings,
): CheckedExport => {
  const given = input.inSchema ?? null;
  const inSchema = checkSchema('inSchema', given, { role: 'profile' }, findings);
  const { filter, schema } = checkKind(input, submitted, destination, inSchema, findings);
  findings.refuse();
  if (inSchema === null) throw new TypeError('an export without an inSchema was not refused');
  return {
    definition: {
      filter: filter && printFilter(filter),
      transformation: submitted && canonicalTransformation(submitted),
      outSchema: schema && printType(schema),
      exports: { destination, inSchema: printType(inSchema) },
    },
    input: inSchema,
    output: schema,
  };
};
