import { itHoldsInPart } from './testing/model/model-part.fixture';

itHoldsInPart(4);
