import type { AlertId, AlertState } from '@penstock/contracts';
import { WORKSPACE } from './pipelines.fixture';

/** The id of {@link alertState}, unless another is given. */
export const ALERT = 'alert00000000001' as AlertId;

/** An alert on the health of everything in the workspace, with other members where they are given. */
export const alertState = (members: Partial<AlertState> = {}): AlertState => ({
  kind: 'alert',
  id: ALERT,
  workspace: WORKSPACE,
  name: 'An alert',
  enabled: true,
  alertKind: 'health',
  connection: null,
  pipeline: null,
  threshold: null,
  window: null,
  webhook: '',
  version: 1,
  deleted: false,
  ...members,
});
