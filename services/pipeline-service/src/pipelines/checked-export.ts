import { exportPath, type FileDestination, type Settings } from '@penstock/connectors';
import {
  EXPORT_MODES,
  type ExportDefinition,
  type ExportDestination,
  type KindInput,
} from '@penstock/contracts';
import { FileFault } from '@penstock/files';
import type { Schema } from '@penstock/schema';
import { checkExport } from './check-export';
import { checkProfiles } from './check-profiles';
import type { CompileFunction } from './compile-function';
import type { DefinitionInput } from './definition-parts';
import { filePlace } from './file-place';
import { Findings } from './findings';
import type { ExportKind } from './pipeline-kind';
import type { SubmittedTransformation } from './read-transformation';

/** What an export depends on beside its own members. */
export interface ExportContext {
  readonly kind: ExportKind;
  /** Of files: where they are written. */
  readonly storage?:
    | { readonly storage: Pick<FileDestination, 'absolutePath'>; readonly settings: Settings }
    | undefined;
  /** The present schema of profiles. */
  readonly profiles: Schema;
  readonly compile: CompileFunction;
}

/** Adds what the storage says against a path, whose placeholders have a value at any time. */
const checkPath = (
  path: string,
  { storage }: Pick<ExportContext, 'storage'>,
  findings: Findings,
): void => {
  try {
    storage?.storage.absolutePath(exportPath(path, new Date(0)), storage.settings);
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    findings.add('/path', error.message);
  }
};

/** The gateway has checked the mode. */
const toApplication = ({
  exportMode,
  matching = { in: '', out: '' },
  updateOnDuplicates = false,
}: KindInput): ExportDestination => {
  const mode = EXPORT_MODES.find((each) => each === exportMode) ?? 'CreateOrUpdate';
  return { kind: 'application', mode, matching, updateOnDuplicates };
};

/** @throws Refusal FormatNotExist */
const destinationOf = (
  kind: ExportKind,
  input: KindInput,
  findings: Findings,
): ExportDestination => {
  switch (kind) {
    case 'toApplication':
      return toApplication(input);
    case 'toDatabase':
      return { kind: 'database', table: input.tableName ?? '', key: input.tableKey ?? '' };
    case 'toFile':
      return { ...filePlace(input, true, findings), orderBy: input.orderBy ?? '' };
  }
};

/**
 * Checks the definition of an export, whose members {@link checkMembers} has accepted, and compiles its function.
 *
 * @returns the definition in canonical form.
 * @throws Refusal FormatNotExist, BadRequest, UnsupportedLanguage, SchemaNotAligned, TransformationFailed,
 *   ServiceUnavailable
 */
export const checkedExport = async (
  input: DefinitionInput & KindInput,
  submitted: SubmittedTransformation | null,
  context: ExportContext,
): Promise<Omit<ExportDefinition, 'name' | 'enabled'>> => {
  const findings = new Findings();
  const destination = destinationOf(context.kind, input, findings);
  if (destination.kind === 'file') checkPath(destination.path, context, findings);
  const checked = checkExport(input, submitted, destination, findings);
  checkProfiles('inSchema', checked.input, context.profiles);
  const fn = checked.definition.transformation?.function;
  if (fn && checked.output !== null)
    await context.compile(fn, { input: checked.input, output: checked.output });
  return checked.definition;
};
