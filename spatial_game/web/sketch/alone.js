"use strict";
// A page that is a sketch and nothing else.
document.querySelectorAll(".sketch").forEach(showSketch);
