import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table of the wrapped data keys of workspaces. */
export class CreateDataKeys1700000000040 implements MigrationInterface {
  readonly name = 'CreateDataKeys1700000000040';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `CREATE TABLE penstock.data_keys (workspace text COLLATE "C" PRIMARY KEY, id text NOT NULL,
         wrapped text NOT NULL)`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE penstock.data_keys');
  }
}
