import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the view of the warehouses of workspaces. */
export class CreateWarehouses1700000000030 implements MigrationInterface {
  readonly name = 'CreateWarehouses1700000000030';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      'CREATE TABLE penstock.warehouses (id text COLLATE "C" PRIMARY KEY, state json NOT NULL)',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE penstock.warehouses');
  }
}
