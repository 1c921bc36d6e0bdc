import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { notDeleted } from '../command-handling/existing-workspace';
import { Handles, type RequestFor } from '../command-handling/handles';
import { warehouseDecider } from '../domain/warehouse.decide';
import { existingWarehouse } from './existing-warehouse';

/**
 * Sets the mode of a warehouse. Nothing runs on warehouses yet, so that there is nothing to cancel and nothing prevents
 * it.
 */
@Controller()
export class SetWarehouseMode {
  constructor(private readonly configuration: Configuration) {}

  @Handles('SetWarehouseMode')
  handle(@Payload() { context, in: { mode } }: RequestFor<'SetWarehouseMode'>) {
    return this.configuration.execute(context, async (reading) => {
      const own = await existingWarehouse(reading, context);
      const facts = warehouseDecider.decide({ type: 'SetWarehouseMode', mode }, own.state);
      return {
        streams: [appendTo(own, facts)],
        reply: {},
        verify: (db) => notDeleted(db, context.workspace),
      };
    });
  }
}
