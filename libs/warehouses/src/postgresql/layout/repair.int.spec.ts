import { FIRST_PROFILE_SCHEMA, type WorkspaceId } from '@penstock/contracts';
import { sharedOldPostgres } from '@penstock/test-servers';
import { setTimeout } from 'node:timers/promises';
import { batchOf, imported, MINE, OPTIONS } from '../../platform/warehouse-writer.contract';
import { SCHEMA } from '../stage.fixture';
import { LAYOUT } from './marker';
import { writtenStage, type WrittenStage } from '../writing/written-stage.fixture';

jest.setTimeout(120_000);

/** At a lock that somebody is to wait for, twenty milliseconds apart. */
const MOST_LOOKS = 1_500;

const TABLES = [
  '_events',
  '_identities',
  '_profiles',
  '_identity_keys',
  '_profile_aliases',
  '_dirty',
  '_moving',
  '_outbox',
  '_profile_history',
  '_erased',
  '_erased_profiles',
  '_erasures',
  '_erasing',
  '_matches',
  '_seen',
  '_fences',
];
const VIEWS = ['events', 'identities', 'profiles'];

/** Each can be made anew on rows that are there. */
const COLUMNS = [
  ['_events', 'context_ip'],
  ['_events', 'traits'],
  ['_identities', '_id'],
  ['_identities', '_property_times'],
  ['_identities', '_updated_at'],
  ['_identities', '_run'],
  ['_identities', 'email'],
  ['_profiles', '_identities'],
  ['_profiles', 'last_name'],
  ['_seen', 'batch'],
  ['_meta', 'schema_version'],
  ['_meta', 'created_at'],
] as const;

/** Looks at the warehouse of a spec, and repairs it. */
const looksAt = (warehouse: () => WrittenStage) => {
  const run = (...statements: readonly string[]) =>
    warehouse().stage.run(`SET search_path = ${SCHEMA}`, ...statements);
  const rows = (statement: string) => warehouse().stage.rows(statement);
  const repair = () =>
    warehouse().stage.as(warehouse().loader, (each) => each.repair(MINE, FIRST_PROFILE_SCHEMA));
  /** What there is, without the names that the server chooses. */
  const shape = async () => [
    await rows(`SELECT table_name, column_name, data_type, is_nullable, column_default
                FROM information_schema.columns WHERE table_schema = '${SCHEMA}' ORDER BY 1, 2`),
    await rows(`SELECT tablename, regexp_replace(indexdef, 'INDEX \\S+ ', '') AS definition
                FROM pg_indexes WHERE schemaname = '${SCHEMA}' ORDER BY 1, 2`),
    await rows(
      `SELECT viewname, viewowner FROM pg_views WHERE schemaname = '${SCHEMA}' ORDER BY 1`,
    ),
    await rows(`SELECT (SELECT relname FROM pg_class c WHERE c.oid = conrelid) AS of, pg_get_constraintdef(oid) AS definition
                FROM pg_constraint WHERE connamespace = '${SCHEMA}'::regnamespace ORDER BY 1, 2`),
  ];
  const fill = async () => {
    const writer = await warehouse().open(OPTIONS);
    const session = await writer.begin({ role: 'run run1', epoch: 1 });
    await session.write(batchOf([imported('u', 5, { email: 'a' })], { batch: 0 }));
    await writer.close();
  };
  return { run, rows, repair, shape, fill };
};

/** What a repair makes anew leaves the warehouse as it was, so that these specs share one. */
const itMakesAnew = (server: () => string | undefined): void => {
  let written: WrittenStage;
  beforeAll(async () => {
    written = await writtenStage(MINE, server());
  });
  afterAll(() => written.close());
  const { run, rows, repair, shape, fill } = looksAt(() => written);

  it.each(TABLES)('makes the table %s anew, whole', async (table) => {
    const before = await shape();
    await run(`DROP TABLE ${table} CASCADE`);
    const view = table.slice(1);
    expect(await repair()).toEqual(VIEWS.includes(view) ? [table, view] : [table]);
    expect(await shape()).toEqual(before);
    expect(await repair()).toEqual([]);
    await fill();
  });

  it.each(VIEWS)('makes the view %s anew', async (view) => {
    await run(`DROP VIEW ${view}`);
    expect(await repair()).toEqual([view]);
    expect(await repair()).toEqual([]);
  });

  it.each(COLUMNS)('makes a column of %s anew: %s', async (table, column) => {
    await fill();
    await run(`ALTER TABLE ${table} DROP COLUMN ${column} CASCADE`);
    expect(await repair()).toContain(`${table}.${column}`);
    expect(await repair()).toEqual([]);
    await fill();
  });

  it('makes each key, index and condition anew', async () => {
    const before = await shape();
    const keys = (await rows(
      `SELECT conrelid::regclass::text AS of, conname AS name FROM pg_constraint
       WHERE connamespace = '${SCHEMA}'::regnamespace AND contype IN ('p', 'u', 'c')`,
    )) as { of: string; name: string }[];
    const indexes = (await rows(
      `SELECT indexname AS name FROM pg_indexes WHERE schemaname = '${SCHEMA}'
       EXCEPT SELECT conname FROM pg_constraint`,
    )) as { name: string }[];
    expect(keys).toHaveLength(19);
    expect(indexes).toHaveLength(12);
    for (const { of, name } of keys) {
      await run(`ALTER TABLE ${of} DROP CONSTRAINT ${name}`);
      expect(await repair()).toHaveLength(1);
    }
    for (const { name } of indexes) {
      await run(`DROP INDEX ${name}`);
      expect(await repair()).toHaveLength(1);
    }
    expect(await repair()).toEqual([]);
    expect(await shape()).toEqual(before);
  });

  it('knows an index by its columns, whatever its name', async () => {
    await run('ALTER INDEX _profiles__updated_at_idx RENAME TO other');
    expect(await repair()).toEqual([]);
  });

  it('makes a column required again', async () => {
    await run('ALTER TABLE _identities ALTER COLUMN _property_times DROP NOT NULL');
    expect(await repair()).toEqual(['_identities._property_times']);
    expect(await repair()).toEqual([]);
  });
};

const itRepairs = (server: () => string | undefined): void => {
  let written: WrittenStage;

  beforeEach(async () => {
    written = await writtenStage(MINE, server());
  });
  afterEach(() => written.close());
  const { run, rows, repair, shape, fill } = looksAt(() => written);
  const unusable = (message: string) => ({
    kind: 'unusable',
    message: expect.stringContaining(message) as string,
  });

  it('changes nothing in a healthy warehouse', async () => {
    await fill();
    const objects = () =>
      rows(`SELECT oid, xmin, relname, relacl::text FROM pg_class
            WHERE relnamespace = '${SCHEMA}'::regnamespace ORDER BY oid`);
    const before = await objects();
    expect(await repair()).toEqual([]);
    expect(await objects()).toEqual(before);
  });

  it('drops an index of a former release, whatever its name, and no other', async () => {
    const before = await shape();
    await run('CREATE INDEX of_runs ON _identities (_pipeline, _run)');
    await run('CREATE INDEX of_somebody ON _identities (_run, _pipeline)');
    await run('ALTER TABLE _identities ADD CONSTRAINT own UNIQUE (_pipeline, _run)');
    expect(await repair()).toEqual(['_identities (_pipeline, _run)']);
    await run('DROP INDEX of_somebody', 'ALTER TABLE _identities DROP CONSTRAINT own');
    expect(await shape()).toEqual(before);
    expect(await repair()).toEqual([]);
  });

  it('tells what was made before it stays, and makes nothing when that is refused', async () => {
    await run('DROP VIEW events');
    const told: (readonly string[])[] = [];
    const views = () => rows(`SELECT FROM pg_views WHERE viewname = 'events'`);
    const repairTelling = (refusal?: Error) =>
      written.stage.as(written.loader, (warehouse) =>
        warehouse.repair(MINE, FIRST_PROFILE_SCHEMA, async (made) => {
          told.push(made);
          expect(await views()).toHaveLength(0);
          if (refusal !== undefined) throw refusal;
        }),
      );
    await expect(repairTelling(new TypeError('refused'))).rejects.toThrow('refused');
    expect(await views()).toHaveLength(0);
    expect(await repairTelling()).toEqual(['events']);
    expect(await views()).toHaveLength(1);
    expect(await repairTelling()).toEqual([]);
    expect(told).toEqual([['events'], ['events']]);
  });

  it.each([
    ['_identities', 'DROP TABLE _identities CASCADE', '_identities'],
    ['a column', 'ALTER TABLE _identities DROP COLUMN _id CASCADE', '_identities'],
    ['_outbox', 'DROP TABLE _outbox', '_outbox'],
    ['everything', `DROP TABLE _meta, ${TABLES.join(', ')} CASCADE`, '_outbox'],
  ])('gives no number again that was given before %s was lost', async (_, lose, table) => {
    const key = table === '_outbox' ? 'id' : '_id';
    const numbered = async (): Promise<number> => {
      await fill();
      await run(`INSERT INTO _outbox (profile_id, fact) VALUES (gen_random_uuid(), '{}')`);
      const [row] = await rows(`SELECT max(${key})::float8 AS last FROM ${SCHEMA}.${table}`);
      return (row as { readonly last: number }).last;
    };
    expect(await numbered()).toBeLessThan(1_000);
    const beforeMs = Date.now();
    await run(lose);
    await repair();
    expect(await numbered()).toBeGreaterThanOrEqual(beforeMs);
  });

  it('waits for a repair by another process', async () => {
    await run('DROP VIEW events', 'DROP VIEW profiles');
    const all = await Promise.all([repair(), repair(), repair()]);
    expect(all.sort((one, other) => other.length - one.length)).toEqual([
      ['events', 'profiles'],
      [],
      [],
    ]);
  });

  it('waits a moment for the other lock of a repair that has just ended', async () => {
    const lock = `hashtextextended('penstock warehouse ${SCHEMA}', 0)`;
    await written.stage.run(`SELECT pg_advisory_lock(${lock})`);
    const repaired = repair();
    repaired.catch(() => undefined);
    await setTimeout(50);
    await written.stage.run(`SELECT pg_advisory_unlock(${lock})`);
    expect(await repaired).toEqual([]);
  });

  it('makes the table of the marker anew, with everything beside it left alone', async () => {
    await fill();
    await run('DROP TABLE _meta');
    expect(await repair()).toEqual(['_meta', 'marker']);
    expect(await written.identities()).toHaveLength(1);
  });

  it('refuses a column of another type, by its name, and changes nothing', async () => {
    await run('DROP VIEW identities', 'DROP INDEX _profiles__updated_at_idx');
    await run('ALTER TABLE _identities ALTER COLUMN email TYPE varchar(5)');
    const before = await shape();
    await expect(repair()).rejects.toMatchObject(
      unusable('column _identities.email is of type character varying(5) and must be text'),
    );
    expect(await shape()).toEqual(before);
  });

  it('refuses a part of a key that is missing from rows, and makes it where there are none', async () => {
    await fill();
    await run('ALTER TABLE _identities DROP COLUMN _pipeline CASCADE');
    await expect(repair()).rejects.toMatchObject(unusable('_identities._pipeline is missing'));
    await run('DELETE FROM _identities');
    expect(await repair()).toContain('_identities._pipeline');
  });

  it.each([
    ['_events is not a table', 'DROP TABLE _events CASCADE', 'CREATE VIEW _events AS SELECT 1'],
    ['events is not a view', 'DROP VIEW events', 'CREATE TABLE events ()'],
  ])('refuses to take the place of something else: %s', async (message, drop, create) => {
    await run(drop, create);
    await expect(repair()).rejects.toMatchObject(unusable(message));
  });

  describe('a view that differs', () => {
    const granted = async (reader: string) =>
      rows(`SELECT has_table_privilege('${reader}', '${SCHEMA}.profiles', 'SELECT') AS whole,
                   has_column_privilege('${reader}', '${SCHEMA}.identities', 'email', 'SELECT') AS part`);

    it.each([
      ['in place', 'CREATE OR REPLACE VIEW', 'WHERE false'],
      ['by another one', 'DROP VIEW profiles; CREATE VIEW', ''],
    ])('is replaced %s, and the rights on it are kept', async (_, create, where) => {
      const reader = await written.stage.role();
      const select = where === '' ? 'SELECT 1 AS other, * FROM' : 'SELECT * FROM';
      await run(
        ...`${create} profiles AS ${select} _profiles ${where}`.split('; '),
        `GRANT SELECT ON profiles TO ${reader}`,
        `GRANT SELECT (email) ON identities TO ${reader}`,
        `ALTER VIEW profiles OWNER TO ${written.loader}`,
      );
      expect(await repair()).toEqual(['profiles']);
      expect(await repair()).toEqual([]);
      expect(await granted(reader)).toEqual([{ whole: true, part: true }]);
      expect(await rows(`SELECT * FROM ${SCHEMA}.profiles`)).toEqual([]);
    });
  });

  describe('rows that have a key in common', () => {
    it('of events: the first that was received stays', async () => {
      await run('ALTER TABLE _events DROP CONSTRAINT _events_pkey');
      const event = (name: string, received: string) =>
        `INSERT INTO _events (connection_id, anonymous_id, message_id, type, name, received_at, sent_at,
           original_timestamp, timestamp, traits)
         VALUES ('c', 'a', 'm', 'track', '${name}', '${received}', now(), now(), now(), '{}')`;
      await run(event('second', '2026-01-02'), event('first', '2026-01-01'));
      expect(await repair()).toEqual(['_events (connection_id, message_id)']);
      expect(await rows(`SELECT name FROM ${SCHEMA}.events`)).toEqual([{ name: 'first' }]);
    });

    it('of identities: they are merged by the time of each property into the oldest', async () => {
      await run(
        'ALTER TABLE _identities DROP CONSTRAINT _identities__pipeline__anonymous__record_id_key',
      );
      const identity = (time: string, members: string, values: string) =>
        `INSERT INTO _identities (_connection, _pipeline, _record_id, _anonymous, _updated_at,
           _property_times, ${members})
         VALUES ('c', 'p', 'u', false, '${time}', ${values})`;
      await run(
        identity('2026-01-01', 'email, last_name', `'{"*": "2026-01-01"}', 'one', 'one'`),
        identity('2026-01-03', 'email', `'{"email": "2026-01-03"}', 'three'`),
        identity('2026-01-02', 'email, last_name', `'{"*": "2026-01-02"}', 'two', 'two'`),
      );
      expect(await repair()).toEqual(['_identities (_pipeline, _anonymous, _record_id)']);
      expect(
        await rows(`SELECT _id::int, email, last_name, _property_times FROM ${SCHEMA}._identities`),
      ).toEqual([
        {
          ...{ _id: 1, email: 'three', last_name: 'two' },
          _property_times: { '*': '2026-01-02', email: '2026-01-03' },
        },
      ]);
      expect(await rows(`SELECT identity::int, change FROM ${SCHEMA}._dirty ORDER BY 1`)).toEqual([
        { identity: 1, change: 'changed' },
        { identity: 2, change: 'removed' },
        { identity: 3, change: 'removed' },
      ]);
    });

    it('of numbered rows: they are numbered again', async () => {
      await run('ALTER TABLE _outbox DROP CONSTRAINT _outbox_pkey');
      const add = `INSERT INTO _outbox (id, profile_id, fact) OVERRIDING SYSTEM VALUE
                   VALUES (7, gen_random_uuid(), '{}')`;
      await run(add, add);
      expect(await repair()).toEqual(['_outbox (id)']);
      expect(await rows(`SELECT DISTINCT id FROM ${SCHEMA}._outbox`)).toHaveLength(2);
    });

    it('of fences: the greatest epoch stays', async () => {
      await run('ALTER TABLE _fences DROP CONSTRAINT _fences_pkey');
      await run(`INSERT INTO _fences VALUES ('events', 3), ('events', 5), ('events', 4)`);
      await repair();
      expect(await rows(`SELECT epoch::int FROM ${SCHEMA}._fences`)).toEqual([{ epoch: 5 }]);
    });
  });

  it('drops staging tables that were left over an hour ago, and no younger ones', async () => {
    const nowSeconds = Math.floor(Date.now() / 1_000);
    const stage = (seconds: number) => `_stage_${seconds}_0123456789abcdef`;
    const [old, young] = [stage(nowSeconds - 3_601), stage(nowSeconds - 3_500)];
    await run(`CREATE TABLE ${old} ()`, `CREATE TABLE ${young} ()`, 'CREATE TABLE _stage_mine ()');
    await run(`ALTER TABLE ${old} OWNER TO ${written.loader}`);
    expect(await repair()).toEqual([old]);
    expect(await repair()).toEqual([]);
  });

  describe('the layout', () => {
    const older = () =>
      run(
        ...[...VIEWS.map((view) => `DROP VIEW ${view}`)],
        ...TABLES.map((table) => `DROP TABLE ${table}`),
        'ALTER TABLE _meta DROP COLUMN schema_version',
        'UPDATE _meta SET layout = 1',
      );
    const layout = () => rows(`SELECT layout, schema_version FROM ${SCHEMA}._meta`);

    it('of an older version is brought up by the first writers, once', async () => {
      const before = await shape();
      await older();
      const writer = await written.open(OPTIONS);
      await Promise.all([1, 2, 3].map(() => writer.begin({ role: 'run run1', epoch: 1 })));
      await writer.close();
      expect(await layout()).toEqual([{ layout: LAYOUT, schema_version: 1 }]);
      expect(await shape()).toEqual(before);
      await fill();
    });

    it('of an older version is brought up by a repair', async () => {
      await older();
      expect(await repair()).toEqual(expect.arrayContaining(['_meta.schema_version', '_events']));
      expect(await layout()).toEqual([{ layout: LAYOUT, schema_version: 1 }]);
      expect(await repair()).toEqual([]);
    });

    it('2, which had no times in `_seen`, is brought up by the first writer', async () => {
      const before = await shape();
      await run('ALTER TABLE _seen DROP COLUMN updated_at_us', 'UPDATE _meta SET layout = 2');
      const writer = await written.open(OPTIONS);
      await writer.begin({ role: 'run run1', epoch: 1 });
      await writer.close();
      expect(await layout()).toEqual([{ layout: LAYOUT, schema_version: 1 }]);
      expect(await shape()).toEqual(before);
    });

    it('3, which had nothing to be moved, is brought up by the first writer who may write', async () => {
      const before = await shape();
      const writer = await written.open(OPTIONS);
      await writer.begin({ role: 'run run1', epoch: 2 });
      await run('DROP TABLE _moving', 'UPDATE _meta SET layout = 3');
      const old = await shape();
      await expect(writer.begin({ role: 'run run1', epoch: 1 })).rejects.toMatchObject({
        kind: 'fenced',
      });
      expect(await shape()).toEqual(old);
      expect(await layout()).toEqual([{ layout: 3, schema_version: 1 }]);
      await writer.begin({ role: 'run run1', epoch: 2 });
      await writer.close();
      expect(await layout()).toEqual([{ layout: LAYOUT, schema_version: 1 }]);
      expect(await shape()).toEqual(before);
    });

    it('4, which knew of nobody who was erased, is brought up with what it holds, and somebody is erased', async () => {
      const before = await shape();
      await fill();
      const profile = 'c0ffee00-0000-4000-8000-000000000000';
      await run(
        ...['_erased', '_erased_profiles', '_erasures', '_erasing'].map(
          (table) => `DROP TABLE ${table}`,
        ),
        `UPDATE _identities SET _profile_id = '${profile}'`,
        `INSERT INTO _profiles (_profile_id) VALUES ('${profile}')`,
        'UPDATE _meta SET layout = 4',
      );
      const writer = await written.open(OPTIONS);
      const eraser = await writer.beginErasure({ role: 'erasure', epoch: 1 }, { id: 'e', profile });
      expect(await layout()).toEqual([{ layout: LAYOUT, schema_version: 1 }]);
      expect(await shape()).toEqual(before);
      expect(await written.identities()).toMatchObject([{ recordId: 'u', values: { email: 'a' } }]);
      expect(await eraser.take(new AbortController().signal)).toBe(true);
      const session = await writer.begin({ role: 'run run1', epoch: 1 });
      await session.write(batchOf([imported('u', 6), imported('v', 6)], { batch: 1 }));
      await writer.close();
      expect(await written.identities()).toMatchObject([{ recordId: 'v' }]);
    });

    it('is brought up while no older version writes', async () => {
      await run('DROP TABLE _moving', 'UPDATE _meta SET layout = 3');
      // As an older version does before it writes.
      await run('BEGIN', 'SELECT FROM _meta FOR SHARE');
      const writer = await written.open(OPTIONS);
      const begun = writer.begin({ role: 'run run1', epoch: 1 });
      try {
        for (let looks = 0; ; looks += 1) {
          const waiting = await rows(
            `SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted
               AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database()
                             AND query LIKE '%FOR UPDATE')`,
          );
          if (waiting.length > 0) break;
          expect(looks).toBeLessThan(MOST_LOOKS);
          expect(await Promise.race([begun, setTimeout(20)])).toBeUndefined();
        }
      } finally {
        await run('COMMIT');
      }
      await begun;
      await writer.close();
      expect(await layout()).toEqual([{ layout: LAYOUT, schema_version: 1 }]);
    });

    it('is brought up wholly or not at all', async () => {
      await older();
      await run('CREATE TABLE profiles ()');
      const writer = await written.open(OPTIONS);
      await expect(writer.begin({ role: 'events', epoch: 1 })).rejects.toMatchObject(
        unusable('profiles is not a view'),
      );
      await writer.close();
      expect(await rows(`SELECT * FROM ${SCHEMA}._meta`)).toMatchObject([{ layout: 1 }]);
      expect(await rows(`SELECT FROM pg_tables WHERE schemaname = '${SCHEMA}'`)).toHaveLength(2);
    });

    it('of a newer version is left alone', async () => {
      await fill();
      const writer = await written.open(OPTIONS);
      const session = await writer.begin({ role: 'run run1', epoch: 2 });
      await run(`UPDATE _meta SET layout = ${LAYOUT + 1}`, 'DROP VIEW events');
      const newer = { kind: 'newer', message: expect.stringContaining('newer version') as string };
      await expect(repair()).rejects.toMatchObject(newer);
      await expect(session.write(batchOf([]))).rejects.toMatchObject(newer);
      await expect(writer.begin({ role: 'events', epoch: 1 })).rejects.toMatchObject(newer);
      await writer.close();
    });

    it('is whole again after another workspace has taken the warehouse over', async () => {
      await fill();
      await run('DROP VIEW events', 'UPDATE _meta SET schema_version = 7');
      const other = 'workspace0000002' as WorkspaceId;
      await written.stage.as(written.loader, (warehouse) =>
        warehouse.initialise(other, { isFreed: () => Promise.resolve(true) }),
      );
      const writer = await written.open({ ...OPTIONS, workspace: other });
      await expect(writer.begin({ role: 'run run1', epoch: 1 })).resolves.toBeDefined();
      await writer.close();
    });
  });
};

describe('a repair', () => {
  itRepairs(() => undefined);
  itMakesAnew(() => undefined);
});

const isFoundForThisMachine = process.platform === 'linux' && process.arch === 'x64';

(isFoundForThisMachine ? describe : describe.skip)('a repair on PostgreSQL 13', () => {
  let old: string | undefined;
  beforeAll(async () => {
    old = await sharedOldPostgres();
  });

  it('is one on PostgreSQL 13', () => {
    expect(old).toBeDefined();
  });
  itRepairs(() => old);
  itMakesAnew(() => old);
});
