import type { ImportDefinition, ImportSource, KindInput, RecordColumns } from '@penstock/contracts';
import { printFilter } from '@penstock/filters';
import { printType, type Schema, type SchemaRole } from '@penstock/schema';
import { canonicalTransformation } from './canonical-transformation';
import { checkParts, checkSchema, type DefinitionInput } from './definition-parts';
import type { Findings } from './findings';
import { checkColumns } from './import-columns';
import type { SubmittedTransformation } from './read-transformation';
import { leavesBeside } from './schema-leaves';

/** The definition of an import, checked and in canonical form, with its parsed schemas. */
export interface CheckedImport {
  readonly definition: Omit<ImportDefinition, 'name' | 'enabled'>;
  readonly schemas: { readonly input: Schema; readonly output: Schema };
}

const roleOf = ({ kind }: ImportSource): SchemaRole =>
  kind === 'database' ? { role: 'sourceDatabase' } : { role: 'source' };

const columnPaths = ({ userID, updatedAt }: RecordColumns): string[] =>
  updatedAt === null ? [userID] : [userID, updatedAt];

/** @param inPaths undefined where it is not known what is used. */
const checkUse = (
  schema: Schema,
  inPaths: readonly string[] | undefined,
  columns: RecordColumns | undefined,
  findings: Findings,
): void => {
  if (inPaths === undefined) return;
  const used = [...inPaths, ...(columns === undefined ? [] : columnPaths(columns))];
  for (const { path, pointer } of leavesBeside(schema, used))
    findings.add(`/inSchema${pointer}`, `property ${path} is not used`);
};

/**
 * Checks what an import reads of each record, its filter, its transformation and what that gives, with all issues at
 * once.
 *
 * @param findings issues that were found before.
 * @throws Refusal BadRequest with every issue found, or UnsupportedLanguage.
 */
export const checkImport = (
  input: DefinitionInput & KindInput,
  submitted: SubmittedTransformation | null,
  source: ImportSource,
  findings: Findings,
): CheckedImport => {
  const inSchema = checkSchema('inSchema', input.inSchema ?? null, roleOf(source), findings);
  const columns = source.kind === 'application' ? undefined : source.columns;
  if (columns !== undefined && source.kind !== 'application')
    checkColumns(columns, inSchema, source.kind, findings);
  const { filter, schema, inPaths } = checkParts(
    input,
    submitted,
    {
      input: inSchema,
      filter: 'SourceUser',
      output: { role: 'profile' },
      mustRead: true,
      givesAll: true,
    },
    findings,
  );
  if (inSchema !== null) checkUse(inSchema, inPaths, columns, findings);
  findings.refuse();
  if (inSchema === null || schema === null || submitted === null)
    throw new TypeError('an import without a schema or a transformation was not refused');
  return {
    definition: {
      filter: filter && printFilter(filter),
      transformation: canonicalTransformation(submitted),
      outSchema: printType(schema),
      imports: {
        source,
        inSchema: printType(inSchema),
        incremental: input.incremental ?? false,
      },
    },
    schemas: { input: inSchema, output: schema },
  };
};
