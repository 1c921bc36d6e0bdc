import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets the changes of schemas of profiles be found that have not ended. */
export class IndexProfileChanges1700000000080 implements MigrationInterface {
  readonly name = 'IndexProfileChanges1700000000080';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `CREATE INDEX warehouses_changing ON penstock.warehouses (id)
       WHERE state->'profileChange'->>'startedAt' IS NOT NULL
         AND state->'profileChange'->>'endedAt' IS NULL`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX penstock.warehouses_changing');
  }
}
