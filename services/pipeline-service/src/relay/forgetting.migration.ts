import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the compacted topic was rid of what nobody needs any more. */
export class CreateForgetting1700000000060 implements MigrationInterface {
  readonly name = 'CreateForgetting1700000000060';

  async up(db: QueryRunner): Promise<void> {
    // Below `versions_below` superseded versions were published without the deletion of older ones.
    await db.query(
      `CREATE TABLE penstock.forgotten AS
         SELECT 0::bigint AS position, coalesce(max(position), 0)::bigint AS versions_below FROM penstock.facts`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE penstock.forgotten');
  }
}
