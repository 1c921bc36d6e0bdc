import { type FileStorage, type Settings } from '@penstock/connectors';
import { type ImportDefinition, type KindInput, Refusal } from '@penstock/contracts';
import { type Database, DatabaseFault } from '@penstock/databases';
import { FileFault } from '@penstock/files';
import type { Schema } from '@penstock/schema';
import { checkImport } from './check-import';
import { checkProfiles } from './check-profiles';
import type { CompileFunction } from './compile-function';
import type { DefinitionInput } from './definition-parts';
import { Findings } from './findings';
import { importSource } from './import-source';
import type { ImportKind } from './pipeline-kind';
import type { SubmittedTransformation } from './read-transformation';

/** What an import depends on beside its own members. */
export interface ImportContext {
  readonly kind: ImportKind;
  /** Of an application: whether it can list the users that were changed since a time. */
  readonly readsChanges: boolean;
  /** Of files: where they are. */
  readonly storage?: { readonly storage: FileStorage; readonly settings: Settings } | undefined;
  /** Of a database: knows the placeholders of queries in its SQL. */
  readonly database?: Pick<Database, 'checkPlaceholders'> | undefined;
  /** The present schema of profiles. */
  readonly profiles: Schema;
  readonly compile: CompileFunction;
}

/** @throws Refusal IncrementalNotPossible */
const checkIncremental = (
  { incremental = false, updatedAtColumn }: KindInput,
  { kind, readsChanges }: ImportContext,
): void => {
  if (!incremental) return;
  if (kind === 'application' ? readsChanges : updatedAtColumn !== undefined) return;
  const message =
    kind === 'application'
      ? 'the application does not list the users that were changed since a time'
      : 'needs an updatedAtColumn';
  throw new Refusal('IncrementalNotPossible', { details: [{ path: '/incremental', message }] });
};

/** Adds what the storage says against a path. */
const checkPath = (
  path: string,
  { storage }: Pick<ImportContext, 'storage'>,
  findings: Findings,
): void => {
  try {
    storage?.storage.absolutePath(path, storage.settings);
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    findings.add('/path', error.message);
  }
};

/** Adds what the database says against the placeholders of a query. */
const checkQuery = (
  query: string,
  { database }: Pick<ImportContext, 'database'>,
  findings: Findings,
): void => {
  try {
    database?.checkPlaceholders(query);
  } catch (error) {
    if (!(error instanceof DatabaseFault)) throw error;
    findings.add('/query', error.message);
  }
};

/**
 * Checks the definition of an import, whose members {@link checkMembers} has accepted, and compiles its function.
 *
 * @returns the definition in canonical form.
 * @throws Refusal FormatNotExist, IncrementalNotPossible, BadRequest, UnsupportedLanguage, SchemaNotAligned,
 *   TransformationFailed, ServiceUnavailable
 */
export const checkedImport = async (
  input: DefinitionInput & KindInput,
  submitted: SubmittedTransformation | null,
  context: ImportContext,
): Promise<Omit<ImportDefinition, 'name' | 'enabled'>> => {
  const findings = new Findings();
  const source = importSource(context.kind, input, findings);
  checkIncremental(input, context);
  if (source.kind === 'file') checkPath(source.path, context, findings);
  if (source.kind === 'database') checkQuery(source.query, context, findings);
  const { definition, schemas } = checkImport(input, submitted, source, findings);
  checkProfiles('outSchema', schemas.output, context.profiles);
  const fn = definition.transformation.function;
  if (fn !== null) await context.compile(fn, schemas);
  return definition;
};
