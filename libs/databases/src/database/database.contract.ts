import { createGuardedSockets, GuardedSockets } from '@penstock/egress';
import type { JsonObject } from '@penstock/schema';
import fc from 'fast-check';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, LOCAL_SOCKETS, NO_VALUES, readAll, settingsOf, typesIn } from '../reading.fixture';
import type { Database } from './database';
import { DatabaseFault } from './database-fault';

/** What a connection may hold that nobody reads on: the batch that is full, and the buffers of the system. */
const MAX_HELD_BYTES = 16 * 1_048_576;
const ROW_BYTES = 1_000;
const isLong = process.env['PENSTOCK_TEST_LONG'] === '1';
/** More than a connection may hold, by far. */
const ROWS = isLong ? 200_000 : 40_000;
/** Of one value. */
const LARGE_BYTES = isLong ? 52_428_800 : 8_388_608;
/** Answers of servers that are none. */
const ANSWERS = isLong ? 150 : 50;

/** A server of one kind, with a user that may do everything in its database. */
export interface DatabaseStand {
  readonly database: Database;
  /** Settings of the user, by name. */
  readonly settings: () => Readonly<Record<string, string | number>>;
  /** Runs statements as an administrator. */
  readonly run: (...statements: readonly string[]) => Promise<void>;
  /** How many sessions of the user run a statement with these words. */
  readonly sessionsWith: (words: string) => Promise<number>;
  /** Ends all sessions of the user that run a statement with these words, as a shutdown does. */
  readonly terminate: (words: string) => Promise<void>;
  /** A query with the word `hangs` that takes longer than any test. */
  readonly hanging: string;
  /** Numbers from 1 on, in a column `n`. */
  readonly numbers: (count: number) => string;
  /** An expression: so many x. */
  readonly repeated: (count: number) => string;
  /** Statements that make `people`: `id`, the key; `name`; `city`, which may be null, of two rows. */
  readonly people: readonly string[];
  /** What the columns of `people` become. */
  readonly peopleTypes: object;
  /** Columns of `people` that a row cannot be added without, and its keys. */
  readonly peopleKeys: {
    readonly required: readonly string[];
    readonly keys: readonly (readonly string[])[];
  };
  /** A query whose third row cannot be computed. */
  readonly failing: string;
  /** What the server says of a statement that writes and gives rows, such as `RETURNING`. */
  readonly writing: { readonly text: string; readonly reason: RegExp };
  /** Bytes as a message of the protocol, and the n-th of a conversation. */
  readonly framed: (bytes: Uint8Array, n: number) => Buffer;
  /** A statement that writes and gives no rows, and what is said of it. */
  readonly changing: { readonly text: string; readonly reason: RegExp };
  /** Whether names without quotes are names in capitals; default: they are what they are. */
  readonly isInCapitals?: boolean;
  /** Whether names of columns that differ by case alone are two, also in a query within a query; default: they are. */
  readonly mixesCases?: boolean;
  /** Whether a statement has ended when its first row comes; default: it goes on while rows are read. */
  readonly endsBeforeRows?: boolean;
  /** Rows of what is large; default: {@link ROWS}. */
  readonly manyRows?: number;
}

/** The names of a record in JSON, or of anything else, as a database gives them. */
export const namedBy = ({ isInCapitals = false }: DatabaseStand, json: string): string =>
  isInCapitals ? json.replace(/"(\w+)":/g, (_, name: string) => `"${name.toUpperCase()}":`) : json;

/** Sockets that tell how much has been read. */
class CountingSockets extends GuardedSockets {
  private readonly sockets: Socket[] = [];

  get bytesRead(): number {
    return this.sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  }

  override to(server: Parameters<GuardedSockets['to']>[0]): Socket {
    const socket = LOCAL_SOCKETS.to(server);
    this.sockets.push(socket);
    return socket;
  }
}

/** A server that does something when it is connected to, and whenever something comes. */
const answering = async (answer: (socket: Socket) => void): Promise<Server> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => {
      answer(socket);
    });
    answer(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + 20_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('it has not come about');
    await sleep(50);
  }
};

/** What every kind of database does, on a real server. */
export const databaseContract = (stand: () => DatabaseStand): void => {
  const settings = (changes: Readonly<Record<string, string | number>> = {}): JsonObject =>
    settingsOf({ ...stand().settings(), ...changes });
  const read = (text: string, values = NO_VALUES) =>
    readAll(stand().database, settings(), text, values);
  const named = (json: string) => namedBy(stand(), json);

  beforeAll(() => stand().run(...stand().people));

  describe('a query', () => {
    it('gives columns and records', async () => {
      const { schema, issues, records } = await read(
        'SELECT id, name, city FROM people ORDER BY 1',
      );
      expect(typesIn(schema)).toEqual(stand().peopleTypes);
      expect(issues).toEqual([]);
      expect(records).toEqual(
        ['{"id":1,"name":"Ada","city":"London"}', '{"id":2,"name":"Bo","city":null}'].map(named),
      );
    });

    it('may give no rows', async () => {
      expect((await read('SELECT id FROM people WHERE id = 9')).records).toEqual([]);
    });

    it('has values in the place of its placeholders', async () => {
      const text = 'SELECT id FROM people WHERE name >= ${updated_at} ORDER BY id LIMIT ${limit}';
      const updatedAt = { type: { kind: 'string' as const }, value: 'Ada' };
      expect((await read(text, { updatedAt, limit: 1n })).records).toEqual([named('{"id":1}')]);
      expect((await read(text, { updatedAt, limit: 2n ** 63n - 1n })).records).toHaveLength(2);
      expect((await read(text)).records).toEqual([]);
    });

    it.each<[string, string]>([
      ['SELECT ${now}', '${now}: there are only ${updated_at} and ${limit}'],
      ['SELECT ${Limit}', '${Limit}: there are only ${updated_at} and ${limit}'],
      ['SELECT ${limit', 'a placeholder that begins with ${ has no } at its end'],
      [
        "SELECT '${limit}'",
        'a placeholder stands in quotes: take the quotes off, they come with the value',
      ],
    ])('is refused with the placeholder of %s, before anything is asked', async (text, message) => {
      const fault = { kind: 'InvalidPlaceholder', message };
      await expect(
        stand().database.query({ text, values: NO_VALUES }, settings({ port: 1 }), call()),
      ).rejects.toMatchObject(fault);
      expect(() => {
        stand().database.checkPlaceholders(text);
      }).toThrow(expect.objectContaining(fault) as Error);
    });

    it('has properties with names of their own: the first column wins', async () => {
      if (stand().mixesCases === true) return;
      const { schema, issues, records } = await read(
        'SELECT 1 AS "Ä b", 2 AS a_b, 3 AS "A_b", 4 AS "4", 5 AS "?"'.replaceAll(
          '"',
          stand().database.literal({ kind: 'boolean' }, true) === 'TRUE' ? '`' : '"',
        ),
      );
      expect(Object.keys(typesIn(schema))).toEqual(['A_b', 'a_b', '_4']);
      expect(issues).toEqual([
        'column 3 ("A_b") is left out: it would become the property A_b, as column 1 does',
        'column 5 ("?") is left out: its name holds no letter or digit',
      ]);
      expect(records).toEqual(['{"A_b":1,"a_b":2,"_4":4}']);
    });

    it('may have 1,600 columns', async () => {
      const columns = Array.from({ length: 1_600 }, (_, n) => `${String(n)} AS c${String(n)}`);
      const { schema, records } = await read(`SELECT ${columns.join(', ')}`);
      expect(Object.keys(typesIn(schema))).toHaveLength(1_600);
      expect(records[0]?.endsWith(named('"c1599":1599}'))).toBe(true);
    });

    it(`may give a row of ${String(LARGE_BYTES)} bytes`, async () => {
      const { records } = await read(`SELECT ${stand().repeated(LARGE_BYTES)} AS x`);
      expect(records[0]?.length).toBe(LARGE_BYTES + '{"x":""}'.length);
    });

    it.each<[string, RegExp]>([
      ['SELEC 1', /syntax/i],
      ['SELECT 1; SELECT 2', /syntax|multiple commands/i],
      ['SELECT * FROM nothing', /nothing/i],
      ['', /empty|no rows/i],
    ])('is refused with the reason of the server: %s', async (text, message) => {
      await expect(read(text)).rejects.toMatchObject({
        kind: 'InvalidQuery',
        message: expect.stringMatching(message) as string,
      });
    });

    it('cannot write', async () => {
      const { writing, changing } = stand();
      for (const { text, reason } of [writing, changing])
        await expect(read(text)).rejects.toMatchObject({
          kind: 'InvalidQuery',
          message: expect.stringMatching(reason) as string,
        });
      expect((await read('SELECT count(*) AS n FROM people')).records).toEqual([named('{"n":2}')]);
    });

    it('fails where a row cannot be computed, behind those before it', async () => {
      await expect(read(stand().failing)).rejects.toMatchObject({ kind: 'InvalidQuery' });
    });
  });

  describe('a statement', () => {
    it('is cancelled at the server when the caller gives up', async () => {
      const controller = new AbortController();
      const query = { text: stand().hanging, values: NO_VALUES };
      const reading = (async () => {
        const rows = await stand().database.query(query, settings(), call(controller.signal));
        for await (const batch of rows.records) expect(batch).toEqual([]);
      })();
      const ended = expect(reading).rejects.toMatchObject({
        kind: 'Unreachable',
        message: 'there was no answer in time',
      });
      await until(async () => (await stand().sessionsWith('hangs')) === 1);
      controller.abort();
      await ended;
      await until(async () => (await stand().sessionsWith('hangs')) === 0);
    });

    it('is not begun when the caller has given up', async () => {
      const query = { text: stand().hanging, values: NO_VALUES };
      await expect(
        stand().database.query(query, settings(), call(AbortSignal.abort())),
      ).rejects.toMatchObject({ kind: 'Unreachable' });
    });

    const count = () => stand().manyRows ?? ROWS;
    const many = () =>
      `SELECT n, ${stand().repeated(ROW_BYTES)} AS manyrows FROM ${stand().numbers(count())}`;

    it('sends no more than is read, and ends when reading ends', async () => {
      const sockets = new CountingSockets();
      const { signal } = call();
      const query = { text: many(), values: NO_VALUES };
      const rows = await stand().database.query(query, settings(), { sockets, signal });
      for await (const batch of rows.records) {
        expect(batch.length).toBeLessThan(count() / 10);
        await sleep(500);
        expect(sockets.bytesRead).toBeLessThan(MAX_HELD_BYTES);
        const busy = stand().endsBeforeRows === true ? 0 : 1;
        expect(await stand().sessionsWith('manyrows')).toBe(busy);
        break;
      }
      await until(async () => (await stand().sessionsWith('manyrows')) === 0);
      await rows.close();
    });

    it('gives every row once, in order', async () => {
      const query = { text: many(), values: NO_VALUES };
      const rows = await stand().database.query(query, settings(), call());
      let found = 0;
      for await (const batch of rows.records)
        for (const record of batch) {
          found += 1;
          const isNext = record.row === found && 'values' in record;
          if (!isNext || Number(Object.values(record.values)[0]) !== found)
            throw new Error(`row ${String(found)} is another`);
        }
      expect(found).toBe(count());
    });

    it('ends with the fault that the connection was lost', async () => {
      const query = { text: many(), values: NO_VALUES };
      const rows = await stand().database.query(query, settings(), call());
      const reading = async () => {
        for await (const batch of rows.records) {
          expect(batch).not.toEqual([]);
          await stand().terminate('manyrows');
        }
      };
      await expect(reading()).rejects.toMatchObject({ kind: 'Unreachable' });
      await rows.close();
    });
  });

  describe('the columns of a table', () => {
    it('tell which are required, may be null and are keys', async () => {
      const { schema, issues, keys } = await stand().database.columns('people', settings(), call());
      const { required, keys: expected } = stand().peopleKeys;
      expect(schema.properties).toMatchObject(
        ['id', 'name', 'city'].map((name) => ({
          name: stand().isInCapitals === true ? name.toUpperCase() : name,
          nullable: name === 'city',
          createRequired: required.includes(name),
        })),
      );
      expect(issues).toEqual([]);
      expect(keys).toEqual(expected);
    });

    it.each(['nothing', 'people; DROP TABLE people', 'people"', "people'", 'people`', ''])(
      'are none of %j',
      async (table) => {
        await expect(stand().database.columns(table, settings(), call())).rejects.toMatchObject({
          kind: 'TableNotExist',
        });
      },
    );
  });

  describe('a check', () => {
    const check = (changes = {}, sockets: GuardedSockets = LOCAL_SOCKETS) =>
      stand().database.check(settings(changes), { ...call(), sockets });

    it('passes', async () => {
      await expect(check()).resolves.toBeUndefined();
    });

    it.each<[object, string, RegExp]>([
      [
        { password: 'wrong-and-secret' },
        'Refused',
        /denied|authentication failed|Wrong password|Incorrect username or password/,
      ],
      [{ username: 'nobody' }, 'Refused', /./],
      [{ database: 'elsewhere' }, 'Refused', /elsewhere/],
      [{ port: 1 }, 'Unreachable', /^connection was refused$/],
      [{ host: 'host.invalid' }, 'Unreachable', /^host name cannot be resolved$/],
    ])('fails with %j', async (changes, kind, message) => {
      const failing = expect(check(changes)).rejects;
      await failing.toMatchObject({ kind, message: expect.stringMatching(message) as string });
      await expect(check(changes)).rejects.not.toMatchObject({
        message: expect.stringContaining('wrong-and-secret') as string,
      });
    });

    it('ends when a server is silent', async () => {
      const server = await answering(() => undefined);
      const { port } = server.address() as AddressInfo;
      await expect(
        stand().database.check(settings({ port }), call(AbortSignal.timeout(300))),
      ).rejects.toMatchObject({ kind: 'Unreachable', message: 'there was no answer in time' });
      server.close();
    });

    const messages = fc.array(fc.uint8Array({ minLength: 1, maxLength: 120 }), {
      minLength: 1,
      maxLength: 4,
    });

    it('is a fault whatever a server answers', async () => {
      let answer: readonly Buffer[] = [];
      const server = await answering((socket) => socket.write(Buffer.concat(answer)));
      const { port } = server.address() as AddressInfo;
      await fc.assert(
        fc.asyncProperty(messages, fc.boolean(), async (bytes, isFramed) => {
          answer = bytes.map((each, n) => (isFramed ? stand().framed(each, n) : Buffer.from(each)));
          const fault: unknown = await stand()
            .database.check(settings({ port }), call(AbortSignal.timeout(50)))
            .catch((error: unknown) => error);
          expect(fault).toBeInstanceOf(DatabaseFault);
        }),
        { numRuns: ANSWERS, endOnFailure: true },
      );
      server.close();
    });

    it.each(['127.0.0.1', 'localhost', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1'])(
      'does not go to %s unless the operator allows it',
      async (host) => {
        await expect(check({ host }, createGuardedSockets([]))).rejects.toMatchObject({
          kind: 'Refused',
          message: 'address is not allowed by the egress rules',
        });
      },
    );
  });
};
