import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the file formats that pipelines read, for the limits of organizations. */
export class CreateFormats1700000000071 implements MigrationInterface {
  readonly name = 'CreateFormats1700000000071';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `ALTER TABLE penstock.pipelines
         ADD COLUMN format text GENERATED ALWAYS AS (state->'imports'->'source'->>'format') STORED`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE penstock.pipelines DROP COLUMN format');
  }
}
