import { describePage } from './page-suite.js';

describePage(390);
