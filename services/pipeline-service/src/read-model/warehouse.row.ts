import type { WarehouseState } from '@penstock/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A warehouse, with the id of its workspace. */
@Entity({ name: 'warehouses', schema: 'penstock' })
export class WarehouseRow {
  @PrimaryColumn('text') id!: string;
  /** The newest state, as it is published. */
  @Column('json') state!: WarehouseState;
}
