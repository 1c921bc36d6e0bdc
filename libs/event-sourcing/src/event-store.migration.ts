import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of the event store. `head` has one row; its lock makes positions follow the order of commits. */
export class CreateEventStore1700000000000 implements MigrationInterface {
  readonly name = 'CreateEventStore1700000000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query('CREATE SCHEMA IF NOT EXISTS penstock');
    await db.query(`CREATE TABLE penstock.head (position bigint NOT NULL)`);
    await db.query('INSERT INTO penstock.head VALUES (0)');
    await db.query(`CREATE TABLE penstock.facts (
      position bigint PRIMARY KEY, stream text NOT NULL, version integer NOT NULL, type text NOT NULL,
      schema_version integer NOT NULL, time text NOT NULL, actor text NOT NULL, request_id text NOT NULL,
      causation text NOT NULL, data json NOT NULL, state json NOT NULL)`);
    await db.query('CREATE UNIQUE INDEX facts_stream_version ON penstock.facts (stream, version)');
    await db.query(`CREATE TABLE penstock.replies (
      command_id text PRIMARY KEY, position bigint NOT NULL, reply json NOT NULL,
      answered_at timestamptz NOT NULL DEFAULT now())`);
    await db.query('CREATE INDEX replies_answered_at ON penstock.replies (answered_at)');
  }

  async down(db: QueryRunner): Promise<void> {
    for (const table of ['replies', 'facts', 'head'])
      await db.query(`DROP TABLE penstock.${table}`);
  }
}
