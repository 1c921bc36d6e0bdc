import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the view of alerts. */
export class CreateAlerts1700000000072 implements MigrationInterface {
  readonly name = 'CreateAlerts1700000000072';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      'CREATE TABLE penstock.alerts (id text COLLATE "C" PRIMARY KEY, workspace text NOT NULL)',
    );
    await db.query('CREATE INDEX alerts_workspace ON penstock.alerts (workspace, id)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE penstock.alerts');
  }
}
