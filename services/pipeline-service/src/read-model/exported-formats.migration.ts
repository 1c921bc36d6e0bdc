import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the file formats that pipelines write to those that they read. */
export class AddExportedFormats1700000000082 implements MigrationInterface {
  readonly name = 'AddExportedFormats1700000000082';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `ALTER TABLE penstock.pipelines
         DROP COLUMN format,
         ADD COLUMN format text GENERATED ALWAYS AS (
           coalesce(state->'imports'->'source'->>'format', state->'exports'->'destination'->>'format')
         ) STORED`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(
      `ALTER TABLE penstock.pipelines
         DROP COLUMN format,
         ADD COLUMN format text GENERATED ALWAYS AS (state->'imports'->'source'->>'format') STORED`,
    );
  }
}
