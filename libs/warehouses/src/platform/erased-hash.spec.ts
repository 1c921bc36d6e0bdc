import { createHash } from 'node:crypto';
import type { ConnectionId } from '@penstock/contracts';
import { erasedHash } from './erased-hash';

const connection = 'connection1' as ConnectionId;

it('is of a text that never changes: another one would bring people back', () => {
  const plain = (text: string): string => text;
  const known = { connection, anonymous: false, recordId: 'u1' };
  expect(erasedHash(plain, known)).toBe('erased\0connection1\0known\0u1');
  expect(erasedHash(plain, { ...known, anonymous: true })).toBe(
    'erased\0connection1\0anonymous\0u1',
  );
});

it('is another one for each record, and for each key', () => {
  const hashBy = (key: string) => (text: string) =>
    createHash('sha256').update(`${key}${text}`).digest('hex');
  const records = ['u1', 'u2'].flatMap((recordId) =>
    [true, false].flatMap((anonymous) =>
      ['connection1', 'connection2'].map((of) => ({
        ...{ connection: of as ConnectionId, anonymous, recordId },
      })),
    ),
  );
  const hashes = ['one', 'other'].flatMap((key) =>
    records.map((record) => erasedHash(hashBy(key), record)),
  );
  expect(new Set(hashes).size).toBe(16);
});
