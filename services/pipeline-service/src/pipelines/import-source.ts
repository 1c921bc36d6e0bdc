import type { ImportSource, KindInput, RecordColumns } from '@penstock/contracts';
import { filePlace } from './file-place';
import type { Findings } from './findings';
import type { ImportKind } from './pipeline-kind';

const columnsOf = ({
  userIDColumn = '',
  updatedAtColumn,
  updatedAtFormat,
  missingColumns = 'fail',
}: KindInput): RecordColumns => ({
  userID: userIDColumn,
  updatedAt: updatedAtColumn ?? null,
  updatedAtFormat: updatedAtFormat ?? null,
  ...(missingColumns !== 'fail' && { missing: missingColumns }),
});

/**
 * What an import reads, of members that {@link checkMembers} accepts; adds what is wrong with them to the findings. The
 * path of a file is checked where its storage is known, a query where its database is.
 *
 * @throws Refusal FormatNotExist
 */
export const importSource = (
  kind: ImportKind,
  input: KindInput,
  findings: Findings,
): ImportSource => {
  if (kind === 'application') return { kind };
  if (kind === 'file') return { ...filePlace(input, false, findings), columns: columnsOf(input) };
  return { kind, query: input.query ?? '', columns: columnsOf(input) };
};
