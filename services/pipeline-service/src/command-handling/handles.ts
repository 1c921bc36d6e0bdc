export { Handles, type RequestFor } from '@penstock/platform';
