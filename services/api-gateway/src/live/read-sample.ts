import { liveSealContext, readLiveRecord, type WorkspaceId } from '@penstock/contracts';
import type { LogRecord } from '@penstock/messaging';
import type { Seals } from '@penstock/runtime';
import { LiveSample } from './live-sample';

/**
 * Reads a record of the topic of live events; undefined: nobody of this gateway watches its workspace, the workspace has
 * been deleted, or this version cannot read it.
 *
 * @param isWatched whether somebody watches the workspace: of others nothing is opened.
 */
export const readSample = (
  { offset, value }: Pick<LogRecord, 'offset' | 'value'>,
  seals: Pick<Seals, 'open'>,
  isWatched: (workspace: WorkspaceId) => boolean,
): LiveSample | undefined => {
  const record = readLiveRecord(value);
  if (record === undefined || !isWatched(record.workspace)) return undefined;
  if (record.kind !== 'event') return LiveSample.ofOther(offset, record);
  try {
    const text = seals.open(record.sealed, record.workspace, liveSealContext(record));
    return LiveSample.ofEvent(offset, record, text);
  } catch {
    return undefined;
  }
};
