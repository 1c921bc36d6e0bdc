import { mask } from '@penstock/settings';
import type { Connector, Settings } from './connector';

/** The same settings with every secret replaced by dots and its last four characters. */
export const maskSettings = ({ settings: form }: Connector, settings: Settings): Settings =>
  form.mapSecrets(settings, mask) as Settings;
