import {
  EXPORT_MODES,
  type KindInput,
  type Matching as MatchingPaths,
  MISSING_COLUMNS,
  type MissingColumns,
} from '@penstock/contracts';
import type { JsonObject } from '@penstock/schema';
import { textOrNull } from '../http/json-text';
import { MAX_SHEET, SHEET, SHEET_RULE } from '../files/sheet-name';
import {
  AnObject,
  Characters,
  IsBoolean,
  Matching,
  OneOf,
  OptionalOrNull,
  TextsByName,
} from '../validation/shape';

const MAX_QUERY = 10_000;
const MAX_COLUMN = 1_024;
const MAX_PATH = 1_024;
const MAX_TIME_FORMAT = 64;
/** Upper bound for codes of formats; what there is of them is checked by who knows it. */
const MAX_FORMAT = 100;

/**
 * Members that pipelines of some kinds have; `null` is as good as left out. The pipeline service, which knows the
 * connection, checks which ones a pipeline has.
 */
export class KindMembersDto {
  @OptionalOrNull() @AnObject('Schema') readonly inSchema?: JsonObject | null;

  @OptionalOrNull() @IsBoolean() readonly incremental?: boolean | null;

  @OptionalOrNull() @Characters(1, MAX_QUERY) readonly query?: string | null;

  @OptionalOrNull() @Characters(1, MAX_COLUMN) readonly userIDColumn?: string | null;

  @OptionalOrNull() @Characters(1, MAX_COLUMN) readonly updatedAtColumn?: string | null;

  @OptionalOrNull() @Characters(1, MAX_TIME_FORMAT) readonly updatedAtFormat?: string | null;

  @OptionalOrNull() @OneOf(...MISSING_COLUMNS) readonly missingColumns?: MissingColumns | null;

  @OptionalOrNull() @Characters(1, MAX_FORMAT) readonly format?: string | null;

  @OptionalOrNull() @Characters(1, MAX_PATH) readonly path?: string | null;

  @OptionalOrNull() @Matching(SHEET, [1, MAX_SHEET], SHEET_RULE) readonly sheet?: string | null;

  @OptionalOrNull()
  @OneOf('', 'Zip', 'Gzip', 'Snappy')
  readonly compression?: string | null;

  @OptionalOrNull() @AnObject('FormatSettings') readonly formatSettings?: JsonObject | null;

  @OptionalOrNull() @Characters(1, MAX_COLUMN) readonly orderBy?: string | null;

  @OptionalOrNull() @Characters(1, MAX_COLUMN) readonly tableName?: string | null;

  @OptionalOrNull() @Characters(1, MAX_COLUMN) readonly tableKey?: string | null;

  @OptionalOrNull() @OneOf(...EXPORT_MODES) readonly exportMode?: string | null;

  @OptionalOrNull()
  @TextsByName(['in', 'out'], MAX_COLUMN)
  readonly matching?: ReadonlyMap<string, string> | null;

  @OptionalOrNull() @IsBoolean() readonly updateOnDuplicates?: boolean | null;
}

type Given<Members> = { readonly [Name in keyof Members]?: NonNullable<Members[Name]> };

/** Without the members that are `null` or absent. */
const given = <Members extends object>(members: Members): Given<Members> =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  ) as Given<Members>;

const matchingIn = (paths: ReadonlyMap<string, string> | null | undefined): MatchingPaths | null =>
  paths ? { in: paths.get('in') ?? '', out: paths.get('out') ?? '' } : null;

/** The members of a body for a command, as far as they are given. */
export const kindInputOf = (body: KindMembersDto): KindInput =>
  given({
    inSchema: textOrNull(body.inSchema),
    incremental: body.incremental,
    query: body.query,
    format: body.format,
    path: body.path,
    sheet: body.sheet,
    compression: body.compression,
    formatSettings: textOrNull(body.formatSettings),
    userIDColumn: body.userIDColumn,
    updatedAtColumn: body.updatedAtColumn,
    updatedAtFormat: body.updatedAtFormat,
    missingColumns: body.missingColumns,
    orderBy: body.orderBy,
    tableName: body.tableName,
    tableKey: body.tableKey,
    exportMode: body.exportMode,
    matching: matchingIn(body.matching),
    updateOnDuplicates: body.updateOnDuplicates,
  });
