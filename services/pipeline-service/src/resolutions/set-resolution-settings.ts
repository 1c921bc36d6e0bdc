import { resolutionSettingsOf } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { notDeleted } from '../command-handling/existing-workspace';
import { Handles, type RequestFor } from '../command-handling/handles';
import { DataKeys } from '../data-keys/data-keys';
import { isSameRule, warehouseDecider } from '../domain/warehouse.decide';
import { refuseWhileResolved, triggerResolution } from '../live-resolutions/live-resolutions';
import { existingWarehouse } from '../warehouse/existing-warehouse';
import { wantedSettings } from './wanted-settings';

const ANEW = { trigger: 'Settings', full: true } as const;

/** Sets how the identities of a workspace are resolved; where other ones become one person, everything is computed anew. */
@Controller()
export class SetResolutionSettings {
  constructor(
    private readonly configuration: Configuration,
    private readonly dataKeys: DataKeys,
  ) {}

  @Handles('SetResolutionSettings')
  handle(@Payload() { context, in: input }: RequestFor<'SetResolutionSettings'>) {
    const { workspace } = context;
    return this.configuration.execute(context, async (reading) => {
      const own = await existingWarehouse(reading, context);
      const { warehouse } = own;
      const settings = wantedSettings(
        await this.dataKeys.of(reading.db, workspace),
        warehouse,
        input,
      );
      const command = { type: 'SetResolutionSettings', settings } as const;
      const facts = warehouseDecider.decide(command, own.state);
      if (facts.length === 0) return { streams: [], reply: {} };
      const { verify } = await refuseWhileResolved(reading, workspace);
      const isSame = isSameRule(resolutionSettingsOf(warehouse), settings);
      const asked = isSame ? [] : [await triggerResolution(reading, workspace, ANEW)];
      return {
        streams: [appendTo(own, facts), ...asked],
        reply: {},
        verify: async (db) => {
          await notDeleted(db, workspace);
          await verify(db);
        },
      };
    });
  }
}
