import type { Settings } from '../../connector/connector';
import { checkPathText, stepsOf } from '../check-path';
import { webServerOrigin } from './web-server-settings';

/**
 * The URL of a file of a web server; what follows a `?` in the path is the query.
 *
 * @throws FileFault InvalidPath, InvalidPlaceholder
 */
export const webServerUrl = (path: string, settings: Settings): string => {
  const [location = '', ...query] = path.split('?');
  checkPathText(path);
  stepsOf(location);
  const url = new URL(webServerOrigin(settings));
  url.pathname = location.replace(/^\//, '');
  url.search = query.join('?');
  return url.href;
};
