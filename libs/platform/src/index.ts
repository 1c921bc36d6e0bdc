export { openMessageLog } from './open-message-log';
export { openFromEnvironment, runService } from './open-from-environment';
export { openPlatform, type Platform, type PlatformSettings } from './platform';
