import type { EntityManager } from 'typeorm';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { checkVersion } from '../command-handling/check-version';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { suspendResolutions } from '../live-resolutions/live-resolutions';
import { cancelLive, liveIn, liveUnchanged } from '../live-runs/live-runs';
import { WorkspaceRow } from '../read-model/workspace.row';
import { organizationDecider, organizationStream } from '../domain/organization.decide';

/** Enables or disables an organization; disabling it cancels its live runs and suspends its resolutions. */
@Controller()
export class SetOrganizationStatus {
  constructor(private readonly configuration: Configuration) {}

  @Handles('SetOrganizationStatus')
  handle(@Payload() { context, in: { enabled } }: RequestFor<'SetOrganizationStatus'>) {
    const { organization, actor } = context;
    const stream = organizationStream(organization);
    return this.configuration.execute(context, async (reading) => {
      const own = await load(reading, organizationDecider, stream);
      checkVersion(context, own.version);
      const command = { type: 'SetOrganizationStatus', enabled } as const;
      const facts = organizationDecider.decide(command, own.state);
      const workspaces = enabled ? [] : await workspacesOf(reading.db, organization);
      const live = await liveIn(reading.db, workspaces);
      const resolutions = await suspendResolutions(reading, workspaces);
      return {
        streams: [
          ...(await cancelLive(reading, live, { reason: 'OrganizationDisabled', actor })),
          ...resolutions.streams,
          appendTo(own, facts),
        ],
        reply: {},
        verify: async (db) => {
          await liveUnchanged(workspaces, live)(db);
          await resolutions.verify(db);
        },
      };
    });
  }
}

const workspacesOf = async (db: EntityManager, organization: string): Promise<string[]> => {
  const rows = await db.find(WorkspaceRow, { where: { organization }, select: { id: true } });
  return rows.map(({ id }) => id);
};
