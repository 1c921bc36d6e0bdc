import type { IncomingMessage } from 'node:http';
import type { CurrentReplica } from '../replica/current-replica';
import { rudderstackSettings, segmentSettings } from './browser-settings';
import type { IntakeAnswer } from './intake-answer';
import type { IntakeRoute } from './intake-routes';
import { presentedKey } from './presented-key';
import type { Sources } from './sources';

const HEADERS = { 'Cache-Control': 'no-store' };

/** Answers the settings that the public browser SDKs request before they send events. */
export class SettingsHandler {
  constructor(
    private readonly sources: Sources,
    private readonly current: Pick<CurrentReplica, 'toPresentEnd'>,
  ) {}

  /** @throws Refusal Unauthorized; HttpRefusal ServiceUnavailable */
  async answer(
    request: IncomingMessage,
    route: Exclude<IntakeRoute, { kind: 'events' }>,
    query: string,
  ): Promise<IntakeAnswer> {
    const key = route.kind === 'segmentSettings' ? route.key : (presentedKey(request, query) ?? '');
    await this.current.toPresentEnd();
    const { connection } = await this.sources.require(key);
    const body =
      route.kind === 'segmentSettings'
        ? segmentSettings(key, request)
        : rudderstackSettings(connection);
    return { status: 200, body, headers: HEADERS };
  }
}
