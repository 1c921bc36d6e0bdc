import { ALERT_WEBHOOK } from '@penstock/connectors';
import type { Sealed, WorkspaceId } from '@penstock/contracts';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DataKeys } from '../data-keys/data-keys';
import { checkedSealed } from '../sealed-settings/given-sealed';

/** Checks the webhooks of alerts. They are in plain text only here and where notifications are sent. */
@Injectable()
export class AlertWebhooks {
  constructor(private readonly dataKeys: DataKeys) {}

  /**
   * @param present the webhook that the alert has, whose secret replaces a masked one; absent for a new alert.
   * @returns the sealed text; that of `present` when nothing changes.
   * @throws Refusal InvalidSettings, naming every bad member; WorkspaceNotExist.
   */
  async check(
    db: EntityManager,
    workspace: WorkspaceId,
    settings: Sealed,
    present?: Sealed,
  ): Promise<Sealed> {
    const seals = await this.dataKeys.of(db, workspace);
    const given = { settings, workspace, role: 'Destination', present, member: 'webhook' } as const;
    return checkedSealed(seals, ALERT_WEBHOOK, given);
  }
}
