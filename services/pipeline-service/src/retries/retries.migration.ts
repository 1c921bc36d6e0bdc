import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table of requests with an Idempotency-Key. */
export class CreateRetries1700000000011 implements MigrationInterface {
  readonly name = 'CreateRetries1700000000011';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `CREATE TABLE penstock.retries (key text PRIMARY KEY, digest text NOT NULL,
         command_id text NOT NULL, holder text NOT NULL, held_until timestamptz NOT NULL,
         answer text, begun_at timestamptz NOT NULL DEFAULT now())`,
    );
    await db.query('CREATE INDEX retries_begun_at ON penstock.retries (begun_at)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE penstock.retries');
  }
}
