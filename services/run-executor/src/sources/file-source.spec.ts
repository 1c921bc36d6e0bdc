import type { FileStorage } from '@penstock/connectors';
import { FileFault, type FileFaultKind } from '@penstock/files';
import { Away } from '../engine/away';
import { WholeRunError } from '../engine/whole-run-error';
import { FileRecords } from './file-source';

const open = (fault: FileFault) => {
  const storage: FileStorage = {
    absolutePath: (path) => path,
    open: () => Promise.reject(fault),
  };
  return new FileRecords({
    ...{ storage, settings: new Map(), context: {} as never, deadlineMs: 60_000 },
    file: {
      ...{ kind: 'file', format: 'csv', path: 'in/users.csv', sheet: null, compression: '' },
      formatSettings: '{}',
      columns: { userID: 'id', updatedAt: null, updatedAtFormat: null },
    },
    spool: { folder: '/nowhere', maxBytes: 0 },
  }).open({
    from: { kind: 'start' },
    changedSince: null,
    schema: { kind: 'object', properties: [] },
    signal: new AbortController().signal,
  });
};

it.each<[FileFaultKind, new (...all: never[]) => Error]>([
  ['Unavailable', Away],
  ['Refused', WholeRunError],
  ['InvalidPath', WholeRunError],
  ['InvalidFile', WholeRunError],
])('a file whose storage says %s', async (kind, type) => {
  await expect(open(new FileFault(kind, 'answered so'))).rejects.toBeInstanceOf(type);
});
