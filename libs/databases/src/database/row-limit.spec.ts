import { PassThrough } from 'node:stream';
import type { DatabaseFault } from './database-fault';
import { RowLimit } from './row-limit';

const MIB = 1_048_576;

const limited = () => {
  const stream = new PassThrough({ highWaterMark: 16 * MIB });
  const faults: DatabaseFault[] = [];
  const limit = new RowLimit(stream, (fault) => faults.push(fault), 2 * MIB);
  stream.on('error', () => undefined);
  return { stream, faults, limit };
};

const send = async (stream: PassThrough, bytes: number): Promise<void> => {
  stream.write(Buffer.alloc(bytes));
  await new Promise(setImmediate);
};

it('a row may be as large as the limit', async () => {
  const { stream, faults, limit } = limited();
  for (let row = 0; row < 3; row += 1) {
    await send(stream, MIB);
    await send(stream, MIB);
    limit.rowCame();
  }
  expect([faults, stream.destroyed]).toEqual([[], false]);
});

it('a row that is larger ends the connection, once', async () => {
  const { stream, faults } = limited();
  await send(stream, 2 * MIB);
  await send(stream, 1);
  expect(faults).toMatchObject([{ kind: 'InvalidQuery', message: 'a row takes more than 2 MiB' }]);
  expect(stream.destroyed).toBe(true);
});
