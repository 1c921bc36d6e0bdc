import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the owner of each fact, and the indexes that the audit is searched by. */
export class CreateAudit1700000000020 implements MigrationInterface {
  readonly name = 'CreateAudit1700000000020';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE penstock.facts ADD COLUMN owner text');
    await db.query(
      `UPDATE penstock.facts SET owner = coalesce(state->>'workspace', state->>'id', '')`,
    );
    await db.query('ALTER TABLE penstock.facts ALTER COLUMN owner SET NOT NULL');
    await db.query('CREATE INDEX facts_owner ON penstock.facts (owner, position) INCLUDE (time)');
    await db.query(
      `CREATE INDEX facts_object ON penstock.facts (substr(stream, strpos(stream, '-') + 1), position)`,
    );
    await db.query('CREATE INDEX facts_request ON penstock.facts (request_id, position)');
  }

  async down(db: QueryRunner): Promise<void> {
    for (const index of ['facts_owner', 'facts_object', 'facts_request'])
      await db.query(`DROP INDEX penstock.${index}`);
    await db.query('ALTER TABLE penstock.facts DROP COLUMN owner');
  }
}
