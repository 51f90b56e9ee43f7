"use strict";
// The 3-D view of the frames of a run: z is up, the mouse orbits, the wheel zooms, a right or shifted drag moves.

/* ---- vectors and matrices; those of OpenGL, column after column ---- */

const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot3 = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross3 = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => {
  const n = Math.hypot(...a) || 1;
  return a.map((x) => x / n);
};

function lookAt(eye, target, up) {
  const z = unit(sub(eye, target)), x = unit(cross3(up, z)), y = cross3(z, x);
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot3(x, eye), -dot3(y, eye), -dot3(z, eye), 1]);
}

function invertRigid(m) {
  const r = [m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]], t = [m[12], m[13], m[14]];
  const back = [0, 1, 2].map((k) => -(m[4 * k] * t[0] + m[4 * k + 1] * t[1] + m[4 * k + 2] * t[2]));
  return new Float32Array([r[0], r[1], r[2], 0, r[3], r[4], r[5], 0, r[6], r[7], r[8], 0, back[0], back[1], back[2], 1]);
}

function perspective(fov, aspect, near, far) {
  const f = 1 / Math.tan(fov / 2), m = new Float32Array(16);
  m[0] = f / aspect;
  m[5] = f;
  m[10] = -(far + near) / (far - near);
  m[11] = -1;
  m[14] = (-2 * far * near) / (far - near);
  return m;
}

function parallel(size, near, far) {
  const m = new Float32Array(16);
  m[0] = m[5] = 1 / size;
  m[10] = -2 / (far - near);
  m[14] = -(far + near) / (far - near);
  m[15] = 1;
  return m;
}

function times(a, b) {
  const m = new Float32Array(16);
  for (let c = 0; c < 4; c++)
    for (let r = 0; r < 4; r++) for (let k = 0; k < 4; k++) m[4 * c + r] += a[4 * k + r] * b[4 * c + k];
  return m;
}

/* ---- one camera for all views ---- */

const camera = {
  yaw: -0.9, pitch: 0.42, zoom: 1, shift: [0, 0], center: [0, 0, 0], radius: 1, fov: 0.5,
  look(view) {
    const angles = { iso: [-0.9, 0.42], top: [-Math.PI / 2, Math.PI / 2 - 1e-4], front: [-Math.PI / 2, 0], side: [0, 0] };
    if (!angles[view]) return;
    [this.yaw, this.pitch] = angles[view];
    this.zoom = 1;
    this.shift = [0, 0];
  },
  fit(stages) {
    this.radius = Math.max(...stages.map((s) => s.view.sphere[3]));
  },
  // The eye of a view around `center`.
  place(center, radius, aspect) {
    const d = ((radius / Math.sin(this.fov / 2)) * Math.max(1, 1 / aspect)) / this.zoom;
    const away = [Math.cos(this.pitch) * Math.cos(this.yaw), Math.cos(this.pitch) * Math.sin(this.yaw), Math.sin(this.pitch)];
    const right = [-Math.sin(this.yaw), Math.cos(this.yaw), 0], up = cross3(away, right);
    const target = [0, 1, 2].map((k) => center[k] - d * (this.shift[0] * right[k] + this.shift[1] * up[k]));
    const eye = [0, 1, 2].map((k) => target[k] + d * away[k]);
    return { eye, target, up, d, right };
  },
};

/* ---- WebGL ---- */

function makeProgram(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  const at = {};
  for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
    const name = gl.getActiveUniform(program, i).name;
    at[name] = gl.getUniformLocation(program, name);
  }
  return { program, at };
}

let frameSource = document; // where the frames are: this page, or a later one of the same run

const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

class Stage {
  constructor(run, parent, redraw) {
    this.run = run;
    this.view = run.view;
    this.times = run.view.times;
    this.redraw = redraw;
    this.drawn = 0;
    this.frames = new Map();
    const node = document.createElement("div");
    node.className = "stage";
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-label", "3-D view of " + run.name);
    this.tag = document.createElement("span");
    this.tag.className = "tag";
    this.scale = document.createElement("span");
    this.scale.className = "scale";
    node.append(this.canvas, this.tag, this.scale);
    parent.append(node);
    this.gl = this.canvas.getContext("webgl2", { antialias: false, preserveDrawingBuffer: true, powerPreference: "high-performance" });
    if (!this.gl) {
      node.remove();
      throw new Error("this browser has none");
    }
    this.radius = new Float32Array(bytesOf(this.view.radius).buffer);
    this.material = bytesOf(this.view.material);
    this.meanRadius = this.radius.reduce((sum, r) => sum + r, 0) / Math.max(1, this.radius.length);
    this.prepare();
    this.listen();
  }

  prepare() {
    const gl = this.gl, n = this.view.shown;
    this.sphere = makeProgram(gl, shaders.sphereVertex, shaders.sphereFragment);
    this.shadow = makeProgram(gl, shaders.sphereVertex, shaders.shadowFragment);
    this.wallShadow = makeProgram(gl, shaders.wallVertex, shaders.nothingFragment);
    this.wall = makeProgram(gl, shaders.wallVertex, shaders.wallFragment);
    this.screen = makeProgram(gl, shaders.screenVertex, shaders.screenFragment);
    const square = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, square);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
    this.squares = gl.createVertexArray();
    gl.bindVertexArray(this.squares);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    this.instances = gl.createVertexArray();
    gl.bindVertexArray(this.instances);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    this.placeBuffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.placeBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, 16 * n, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 4, gl.FLOAT, false, 0, 0);
    gl.vertexAttribDivisor(1, 1);
    this.colorBuffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colorBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, 4 * n, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(2);
    gl.vertexAttribPointer(2, 3, gl.UNSIGNED_BYTE, true, 4, 0);
    gl.vertexAttribDivisor(2, 1);
    this.places = new Float32Array(4 * n);
    this.colors = new Uint8Array(4 * n);
    this.prepareWalls();
    this.shadowMap = this.makeTexture(gl.DEPTH_COMPONENT32F, 2048, 2048);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    this.shadowTarget = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0);
    gl.drawBuffers([gl.NONE]);
    this.target = gl.createFramebuffer();
  }

  prepareWalls() {
    const gl = this.gl, v = this.view;
    if (!v.triangles) return;
    this.corners = new Float32Array(bytesOf(v.triangles).buffer);
    this.owner = new Uint16Array(bytesOf(v.owners).buffer);
    this.wallVertices = new Float32Array(this.owner.length * 30);
    this.ranges = []; // first and number of the triangles of each wall
    this.owner.forEach((wall, t) => {
      const last = this.ranges[this.ranges.length - 1];
      if (last && last.wall === wall) last.count++;
      else this.ranges.push({ wall, first: t, count: 1 });
    });
    this.wallArray = gl.createVertexArray();
    gl.bindVertexArray(this.wallArray);
    this.wallBuffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.wallBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.wallVertices.byteLength, gl.DYNAMIC_DRAW);
    for (let k = 0; k < 4; k++) {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, k < 3 ? 3 : 1, gl.FLOAT, false, 40, 12 * k);
    }
  }

  makeTexture(format, width, height) {
    const gl = this.gl, texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
    for (const key of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, key, gl.NEAREST);
    for (const key of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, key, gl.CLAMP_TO_EDGE);
    return texture;
  }

  // Few bodies are drawn with four pixels for each of the screen's.
  resize() {
    const gl = this.gl, box = this.canvas.getBoundingClientRect(), ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(2, Math.round(box.width * ratio)), height = Math.max(2, Math.round(box.height * ratio));
    const fine = this.view.shown < 30000 && ratio * width < 2600 ? 2 : 1;
    if (this.width === width * fine && this.height === height * fine) return;
    this.canvas.width = width * fine;
    this.canvas.height = height * fine;
    this.width = width * fine;
    this.height = height * fine;
    for (const old of this.maps || []) gl.deleteTexture(old);
    this.maps = [gl.RGBA8, gl.RGBA8, gl.DEPTH_COMPONENT32F].map((format) => this.makeTexture(format, this.width, this.height));
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    [gl.COLOR_ATTACHMENT0, gl.COLOR_ATTACHMENT1, gl.DEPTH_ATTACHMENT].forEach((point, k) =>
      gl.framebufferTexture2D(gl.FRAMEBUFFER, point, gl.TEXTURE_2D, this.maps[k], 0));
    gl.drawBuffers([gl.COLOR_ATTACHMENT0, gl.COLOR_ATTACHMENT1]);
  }

  // One frame as it is in the page: positions, speeds, pressures, walls, radii if they change, fragments.
  frame(i) {
    if (this.frames.has(i)) return this.frames.get(i);
    const node = frameSource.getElementById("frame-" + this.run.index + "-" + i), n = this.view.shown;
    const buffer = bytesOf(node.textContent).buffer;
    let at = 0;
    const take = (Kind, count) => {
      const part = new Kind(buffer, at, count);
      at += part.byteLength;
      return part;
    };
    const frame = { position: take(Float32Array, 3 * n), speed: take(Float32Array, n) };
    if (this.view.hasPressure) frame.pressure = take(Float32Array, n);
    frame.walls = take(Float32Array, 8 * this.view.walls);
    frame.radius = this.view.grows ? take(Float32Array, n) : this.radius;
    frame.fragment = take(Uint16Array, n);
    if (this.frames.size * buffer.byteLength > 4e8) this.frames.clear();
    this.frames.set(i, frame);
    return frame;
  }

  // The same run, further on.
  renew(run) {
    this.run = run;
    this.view = run.view;
    this.times = run.view.times;
    this.frames.clear();
    this.filled = "";
    this.lastSize = 0;
  }

  isEmpty(i) {
    return this.frame(i).fragment.every((rank) => rank === 65535);
  }

  range(by) {
    return { speed: this.view.speed, pressure: this.view.pressure, radius: this.view.radii, height: this.view.height }[by] || null;
  }

  fill(frame, by) {
    const n = this.view.shown, p = frame.position, out = this.places, color = this.colors, range = this.range(by);
    const values = { speed: frame.speed, pressure: frame.pressure, radius: frame.radius }[by];
    const span = range ? range[1] - range[0] || 1 : 1, map = data.map, kinds = data.kinds;
    this.drawn = 0;
    for (let i = 0; i < n; i++) {
      const gone = frame.fragment[i] === 65535;
      out[4 * i] = p[3 * i];
      out[4 * i + 1] = p[3 * i + 1];
      out[4 * i + 2] = p[3 * i + 2];
      out[4 * i + 3] = gone ? 0 : frame.radius[i];
      this.drawn += gone ? 0 : 1;
      if (range) {
        const value = by === "height" ? p[3 * i + 2] : values[i];
        const t = 3 * Math.max(0, Math.min(255, Math.round((255 * (value - range[0])) / span)));
        color[4 * i] = map[t];
        color[4 * i + 1] = map[t + 1];
        color[4 * i + 2] = map[t + 2];
      } else if (by === "stone") {
        // no two stones have the same shade
        const shade = 0.80 + 0.36 * (((i * 2654435761) >>> 8) % 1000) / 1000, warm = (((i * 40503) >>> 4) % 100) / 100;
        color[4 * i] = Math.min(255, 172 * shade);
        color[4 * i + 1] = Math.min(255, (156 + 6 * warm) * shade);
        color[4 * i + 2] = Math.min(255, (134 + 22 * warm) * shade);
      } else {
        const kind = by === "material" ? this.material[i] : frame.fragment[i];
        const rgb = by === "fragment" && kind > 3 ? [150, 156, 164] : kinds[kind % kinds.length];
        color[4 * i] = rgb[0];
        color[4 * i + 1] = rgb[1];
        color[4 * i + 2] = rgb[2];
      }
    }
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.placeBuffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, out);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colorBuffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, color);
  }

  // Triangles where the walls are in this frame; those of walls that are not there lie in one point.
  fillWalls(frame) {
    if (!this.corners) return;
    const out = this.wallVertices, local = this.corners, w = frame.walls, p = [0, 0, 0, 0, 0, 0, 0, 0, 0];
    for (let t = 0; t < this.owner.length; t++) {
      const at = 8 * this.owner[t], u = [w[at + 3], w[at + 4], w[at + 5]], s = w[at + 6], there = w[at + 7] !== 0;
      for (let c = 0; c < 3; c++) {
        const v = [local[9 * t + 3 * c], local[9 * t + 3 * c + 1], local[9 * t + 3 * c + 2]];
        const inner = cross3(u, v).map((x, k) => x + s * v[k]), outer = cross3(u, inner);
        for (let k = 0; k < 3; k++) p[3 * c + k] = there ? w[at + k] + v[k] + 2 * outer[k] : 0;
      }
      const e = [p[3] - p[0], p[4] - p[1], p[5] - p[2]], f = [p[6] - p[0], p[7] - p[1], p[8] - p[2]], normal = unit(cross3(e, f));
      for (let c = 0; c < 3; c++) {
        for (let k = 0; k < 3; k++) {
          out[30 * t + 10 * c + k] = p[3 * c + k];
          out[30 * t + 10 * c + 3 + k] = normal[k];
          out[30 * t + 10 * c + 6 + k] = (p[k] + p[3 + k] + p[6 + k]) / 3;
        }
        out[30 * t + 10 * c + 9] = this.view.solid[this.owner[t]];
      }
    }
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.wallBuffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, out);
  }

  // Walls that throw shadows: those that are not seen through, not even in part.
  casting(scene) {
    const v = this.wallVertices, inside = this.view.sphere;
    const side = (at, q) => v[at + 3] * (q[0] - v[at + 6]) + v[at + 4] * (q[1] - v[at + 7]) + v[at + 5] * (q[2] - v[at + 8]);
    return this.ranges.filter((r) => {
      for (let t = r.first; t < r.first + r.count && !this.view.solid[r.wall]; t++)
        if (side(30 * t, scene.eye) * side(30 * t, inside) < 0) return false;
      return true;
    });
  }

  // Middle and size of the largest fragment; of all bodies while there is none to speak of.
  largest(frame) {
    const n = this.view.shown, sums = [[0, 0, 0, 0], [0, 0, 0, 0]];
    for (let i = 0; i < n; i++) {
      if (frame.fragment[i] === 65535) continue;
      const m = frame.radius[i] ** 3;
      for (const sum of frame.fragment[i] === 0 ? sums : sums.slice(1)) {
        sum[3] += m;
        for (let k = 0; k < 3; k++) sum[k] += m * frame.position[3 * i + k];
      }
    }
    const has = sums[0][3] > 0.1 * sums[1][3], sum = has ? sums[0] : sums[1];
    if (!(sum[3] > 0)) return this.view.sphere;
    const middle = sum.slice(0, 3).map((x) => x / sum[3]);
    let wide = 0;
    for (let i = 0; i < n; i++)
      if (frame.fragment[i] === 0 || (!has && frame.fragment[i] !== 65535))
        wide = Math.max(wide, Math.hypot(frame.position[3 * i] - middle[0], frame.position[3 * i + 1] - middle[1], frame.position[3 * i + 2] - middle[2]) + frame.radius[i]);
    return [...middle, wide];
  }

  // The view that follows it keeps the size that it has at the end.
  followed(frame) {
    this.lastSize = this.lastSize || 1.2 * this.largest(this.frame(this.times.length - 1))[3];
    return [...this.largest(frame).slice(0, 3), this.lastSize];
  }

  // The i-th frame.
  draw(state, i) {
    const frame = this.frame(i), key = i + " " + state.by, gl = this.gl;
    this.resize();
    if (key !== this.filled) {
      this.fill(frame, state.by);
      this.fillWalls(frame);
      this.filled = key;
    }
    const sphere = state.follow ? this.followed(frame) : this.view.sphere;
    const center = sphere.slice(0, 3), radius = state.follow ? sphere[3] : camera.radius;
    const view = camera.place(center, radius, this.width / this.height), far = view.d + 12 * Math.max(radius, this.view.sphere[3]);
    const scene = {
      ...view, center,
      project: perspective(camera.fov, this.width / this.height, Math.max(1e-3 * view.d, view.d - 12 * radius), far),
      toEye: lookAt(view.eye, view.target, view.up),
      walls: state.walls && this.corners,
    };
    this.drawShadow(scene, this.view.sphere);
    this.drawScene(scene);
    this.drawScreen(scene);
    gl.bindVertexArray(null);
    this.tag.textContent = data.runs.length > 1 ? this.run.name : "";
    this.drawScale(view);
  }

  drawSpheres(program, toEye, project, flat) {
    const gl = this.gl;
    gl.uniformMatrix4fv(program.at.toEye, false, toEye);
    gl.uniformMatrix4fv(program.at.project, false, project);
    gl.uniform1i(program.at.flat_, flat ? 1 : 0);
    gl.bindVertexArray(this.instances);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.view.shown);
  }

  drawShadow(scene, sphere) {
    const gl = this.gl, size = 1.15 * Math.max(sphere[3], 1e-30), away = unit([0.35, -0.55, 1.0]);
    // The light stands over the left shoulder of the viewer.
    const light = unit([0, 1, 2].map((k) => 0.55 * away[k] + 0.75 * scene.up[k] * 0.6 - 0.35 * scene.right[k] + 0.35 * unit(sub(scene.eye, scene.target))[k]));
    const eye = [0, 1, 2].map((k) => sphere[k] + 3 * size * light[k]);
    scene.light = light;
    scene.lightEye = lookAt(eye, sphere.slice(0, 3), Math.abs(light[2]) > 0.99 ? [1, 0, 0] : [0, 0, 1]);
    scene.lightProject = parallel(size, 0.5 * size, 6 * size);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
    gl.viewport(0, 0, 2048, 2048);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.shadow.program);
    this.drawSpheres(this.shadow, scene.lightEye, scene.lightProject, true);
    if (!scene.walls) return;
    gl.useProgram(this.wallShadow.program);
    gl.uniformMatrix4fv(this.wallShadow.at.toEye, false, scene.lightEye);
    gl.uniformMatrix4fv(this.wallShadow.at.project, false, scene.lightProject);
    gl.bindVertexArray(this.wallArray);
    for (const r of this.casting(scene)) gl.drawArrays(gl.TRIANGLES, 3 * r.first, 3 * r.count);
  }

  setLight(program, scene) {
    const gl = this.gl, m = scene.toEye, turn = (v) => [0, 1, 2].map((k) => m[k] * v[0] + m[4 + k] * v[1] + m[8 + k] * v[2]);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.uniform1i(program.at.shadowMap, 0);
    gl.uniformMatrix4fv(program.at.toLight, false, times(scene.lightProject, scene.lightEye));
    gl.uniformMatrix4fv(program.at.fromEye, false, invertRigid(m));
    gl.uniform3fv(program.at.lightDirection, turn(scene.light));
    gl.uniform3fv(program.at.upInEye, turn([0, 0, 1]));
    gl.uniform1f(program.at.bias, 0.06 * this.meanRadius);
  }

  drawScene(scene) {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.viewport(0, 0, this.width, this.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.sphere.program);
    this.setLight(this.sphere, scene);
    this.drawSpheres(this.sphere, scene.toEye, scene.project, false);
    if (!scene.walls) return;
    gl.useProgram(this.wall.program);
    this.setLight(this.wall, scene);
    gl.uniformMatrix4fv(this.wall.at.toEye, false, scene.toEye);
    gl.uniformMatrix4fv(this.wall.at.project, false, scene.project);
    gl.uniform3fv(this.wall.at.eye, scene.eye);
    gl.uniform3fv(this.wall.at.inside, this.view.sphere.slice(0, 3));
    gl.bindVertexArray(this.wallArray);
    for (const glass of [0, 1]) {
      gl.uniform1i(this.wall.at.glass, glass);
      if (glass) {
        gl.enable(gl.BLEND);
        gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ZERO, gl.ONE);
        gl.depthMask(false);
      }
      gl.drawArrays(gl.TRIANGLES, 0, 3 * this.owner.length);
    }
    gl.disable(gl.BLEND);
    gl.depthMask(true);
  }

  drawScreen(scene) {
    const gl = this.gl, at = this.screen.at;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.width, this.height);
    gl.disable(gl.DEPTH_TEST);
    gl.useProgram(this.screen.program);
    ["directMap", "ambientMap", "depthMap"].forEach((name, k) => {
      gl.activeTexture(gl.TEXTURE0 + k);
      gl.bindTexture(gl.TEXTURE_2D, this.maps[k]);
      gl.uniform1i(at[name], k);
    });
    gl.uniformMatrix4fv(at.project, false, scene.project);
    gl.uniform2f(at.pixels, this.width, this.height);
    gl.uniform1f(at.reach, 3.2 * this.meanRadius);
    gl.bindVertexArray(this.squares);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  // A bar of a round length.
  drawScale(view) {
    const box = this.canvas.getBoundingClientRect(), wide = 2 * view.d * Math.tan(camera.fov / 2) * (box.width / box.height);
    const rough = wide * 0.16, power = 10 ** Math.floor(Math.log10(rough)), length = power * (rough / power >= 5 ? 5 : rough / power >= 2 ? 2 : 1);
    this.scale.textContent = "";
    const line = document.createElement("i");
    line.style.width = (length / wide) * box.width + "px";
    this.scale.append(line, length >= 1e4 || length < 1e-3 ? length.toExponential(0) + " m" : Number(length.toPrecision(1)) + " m");
  }

  listen() {
    const canvas = this.canvas, touches = new Map();
    let spread = 0;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      touches.set(event.pointerId, [event.clientX, event.clientY]);
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = touches.get(event.pointerId);
      if (!before) return;
      const dx = event.clientX - before[0], dy = event.clientY - before[1], high = canvas.getBoundingClientRect().height;
      touches.set(event.pointerId, [event.clientX, event.clientY]);
      if (touches.size === 2) {
        const [a, b] = [...touches.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]);
        if (spread > 0) camera.zoom *= now / spread;
        spread = now;
      } else if (event.shiftKey || event.buttons & 6) {
        const wide = 2 * Math.tan(camera.fov / 2);
        camera.shift[0] += (dx / high) * wide;
        camera.shift[1] -= (dy / high) * wide;
      } else {
        camera.yaw -= (dx / high) * 4;
        camera.pitch = Math.max(-1.57, Math.min(1.57, camera.pitch + (dy / high) * 4));
      }
      this.redraw();
    });
    for (const kind of ["pointerup", "pointercancel"])
      canvas.addEventListener(kind, (event) => {
        touches.delete(event.pointerId);
        spread = 0;
      });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", () => {
      camera.zoom = 1;
      camera.shift = [0, 0];
      this.redraw();
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      camera.zoom = Math.max(0.05, Math.min(200, camera.zoom * Math.exp(-event.deltaY * 0.0012)));
      this.redraw();
    }, { passive: false });
  }
}
